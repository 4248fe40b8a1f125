/* SPDX-License-Identifier: MIT */
/*
 * Tests regions in C++20 coroutines that are suspended: each region is a
 * detached span, and no visit is cut off. The program counts the expected
 * visits itself.
 */
#include <selfmon.hpp>

#include <coroutine>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

namespace {

constexpr std::uint64_t MANY = 10000;

int failures;

void check(bool holds, const char *what, const char *name, std::uint64_t seen,
	   std::uint64_t wanted)
{
	if (holds)
		return;
	std::fprintf(stderr, "coroutine: %s: %s: %llu seen, %llu wanted\n", name,
		     what, static_cast<unsigned long long>(seen),
		     static_cast<unsigned long long>(wanted));
	failures++;
}

/* ---- a generator and a task ------------------------------------------- */

class Generator {
public:
	struct promise_type {
		int value = 0;
		Generator get_return_object()
		{
			return Generator(Handle::from_promise(*this));
		}
		std::suspend_always initial_suspend() noexcept { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		std::suspend_always yield_value(int of) noexcept
		{
			value = of;
			return {};
		}
		void return_void() noexcept {}
		void unhandled_exception() { std::terminate(); }
	};
	using Handle = std::coroutine_handle<promise_type>;

	explicit Generator(Handle made) : handle(made) {}
	Generator(Generator &&other) noexcept
		: handle(std::exchange(other.handle, nullptr))
	{
	}
	~Generator()
	{
		if (handle)
			handle.destroy();
	}
	bool next()
	{
		handle.resume();
		return !handle.done();
	}
	int value() const { return handle.promise().value; }

private:
	Handle handle;
};

/* The suspended tasks. run_ready() resumes them. */
std::vector<std::coroutine_handle<>> ready;

struct Later {
	bool await_ready() noexcept { return false; }
	void await_suspend(std::coroutine_handle<> handle)
	{
		ready.push_back(handle);
	}
	void await_resume() noexcept {}
};

struct Task {
	struct promise_type {
		Task get_return_object() { return {}; }
		std::suspend_never initial_suspend() noexcept { return {}; }
		std::suspend_never final_suspend() noexcept { return {}; }
		void return_void() noexcept {}
		void unhandled_exception() { std::terminate(); }
	};
};

/* Resumes all ready coroutines, the last one first, as an event loop might. */
void run_ready()
{
	std::vector<std::coroutine_handle<>> now;

	now.swap(ready);
	while (!now.empty()) {
		now.back().resume();
		now.pop_back();
	}
}

/* ---- coroutines with regions -------------------------------------------- */

__attribute__((noinline)) void plain()
{
	SELFMON_SCOPE("plain function");
}

Generator numbers(int count)
{
	SELFMON_SCOPE("generator");
	for (int i = 0; i < count; i++) {
		plain();
		co_yield i;
	}
}

Task request(int turns)
{
	SELFMON_SCOPE("request");
	for (int i = 0; i < turns; i++) {
		SELFMON_REGION("turn") {
			co_await Later{};
			plain();
		}
	}
}

Task classes()
{
	static selfmon::Site site("class");
	const selfmon::Name name("named");
	selfmon::Region one(site);

	co_await Later{};
	SELFMON_REGION_OF(selfmon_region("handle"))
		co_await Later{};
	selfmon::Region two(name);
	co_await Later{};
	two.end();
	co_await Later{};
}

/*
 * This function must not be taken for a coroutine, although its frame is large
 * and its region is deep on the stack.
 */
__attribute__((noinline)) void big()
{
	volatile char large[100000];

	large[0] = 1;
	SELFMON_SCOPE("big");
	large[99999] = large[0];
}

/*
 * Resumes the ready coroutines from deeper on the stack than any region that
 * this thread has entered before.
 */
__attribute__((noinline)) void run_deep(int depth)
{
	volatile char pad[512];

	pad[0] = static_cast<char>(depth);
	if (depth > 0)
		run_deep(depth - 1);
	else
		run_ready();
	pad[1] = pad[0];
}

/* ---- what the report says ------------------------------------------------ */

const selfmon_row *row_of(const selfmon_report *report, const char *name)
{
	for (size_t i = 0; i < selfmon_report_row_count(report); i++) {
		const selfmon_row *const row = selfmon_report_row(report, i);

		if (std::strcmp(row->name, name) == 0)
			return row;
	}
	return nullptr;
}

void check_region(const selfmon_report *report, const char *name,
		  std::uint64_t visits)
{
	std::uint64_t seen = 0, lost = 0;

	for (size_t i = 0; i < selfmon_report_row_count(report); i++) {
		const selfmon_row *const row = selfmon_report_row(report, i);

		lost += row->cut_off;
		if (std::strcmp(row->name, name) == 0)
			seen += row->visits;
	}
	check(seen == visits, "visits", name, seen, visits);
	check(lost == 0, "cut off in all regions", name, lost, 0);
}

void check_span(const selfmon_report *report, const char *name,
		std::uint64_t ended, std::uint64_t open,
		std::uint64_t elsewhere)
{
	const selfmon_report *const spans = selfmon_report_async(report);
	const selfmon_row *const row = spans ? row_of(spans, name) : nullptr;

	check(row != nullptr, "rows", name, 0, 1);
	if (!row)
		return;
	check(row->visits == ended, "ended", name, row->visits, ended);
	check(row->open == open, "open", name, row->open, open);
	check(row->elsewhere == elsewhere, "ended elsewhere", name,
	      row->elsewhere, elsewhere);
	check(row->switched == ended + open, "begun in coroutines", name,
	      row->switched, ended + open);
	check(row->cut_off == 0, "cut off", name, row->cut_off, 0);
	check(ended == 0 || row->max_ns > 0, "longest", name, row->max_ns, 1);
}

void check_report(std::uint64_t regions)
{
	selfmon_report *report = nullptr;

	if (selfmon_report_take(&report) != 0) {
		check(false, "reports", "all", 0, 1);
		return;
	}
	check_span(report, "generator", MANY, 1, 1);
	check_span(report, "request", MANY, 0, MANY / 2);
	check_span(report, "turn", 3 * MANY, 0, MANY / 2);
	check_span(report, "class", 1, 0, 0);
	check_span(report, "named", 1, 0, 0);
	check_span(report, "handle", 1, 0, 0);
	check_region(report, "plain function", regions);
	check_region(report, "around", 2);
	check_region(report, "big", 1);
	selfmon_report_free(report);
}

} // namespace

int main()
{
	std::uint64_t regions = 0;

	SELFMON_REGION("around") {
		for (std::uint64_t i = 0; i < MANY - 1; i++) {
			Generator generator = numbers(3);

			while (generator.next()) {
				plain();
				regions += 2;
			}
		}
	}
	/*
	 * The coroutine is destroyed halfway, on another thread. Its region
	 * ends there.
	 */
	{
		Generator generator = numbers(3);

		generator.next();
		std::thread([moved = std::move(generator)] {}).join();
		regions++;
	}
	SELFMON_REGION("around")
		for (std::uint64_t i = 0; i < MANY; i++)
			request(3);
	run_ready();
	plain();
	run_deep(5);
	regions += 2 * MANY + 1;
	/*
	 * This is the last turn of the requests. This thread resumes the second
	 * half of them, another thread the first half.
	 */
	std::vector<std::coroutine_handle<>> half(ready.begin(),
						  ready.begin() + MANY / 2);

	ready.erase(ready.begin(), ready.begin() + MANY / 2);
	run_ready();
	ready = half;
	std::thread(run_ready).join();
	regions += MANY;
	classes();
	while (!ready.empty())
		run_ready();
	big();
	/* This generator is not resumed again, so its region stays open. */
	static Generator open = numbers(2);

	open.next();
	regions++;
	check_report(regions);
	return failures ? 1 : 0;
}
