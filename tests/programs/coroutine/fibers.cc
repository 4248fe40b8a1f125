/* SPDX-License-Identifier: MIT */
/*
 * Tests coroutines with their own fibers: a generator, and a task that awaits
 * tasks by symmetric transfer and moves between threads. Regions in them are
 * visits of their fibers. The program counts the expected visits itself.
 */
#include <selfmon.hpp>

#include <atomic>
#include <condition_variable>
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace {

constexpr std::uint64_t TURNS = 3, THREADS = 2, MOVED = 20;
/*
 * Number of jobs, and of generators that main() runs to their end. It is lower
 * in the quick form of tests (tests/form.h).
 */
const char *const form = std::getenv("TEST_FORM");
const std::uint64_t MANY = form && *form ? 10000 : 1000;

int failures;

void check(const char *what, const char *name, std::uint64_t seen,
	   std::uint64_t wanted)
{
	if (seen == wanted)
		return;
	std::fprintf(stderr, "fibers: %s: %s: %llu seen, %llu wanted\n", name,
		     what, static_cast<unsigned long long>(seen),
		     static_cast<unsigned long long>(wanted));
	failures++;
}

const selfmon::Unit &rows()
{
	static const selfmon::Unit unit("rows");

	return unit;
}

/* ---- a generator -------------------------------------------------------- */

class Generator {
public:
	struct promise_type : selfmon::CoroutineFiber {
		std::uint64_t value = 0;

		promise_type() : CoroutineFiber("generator") {}
		Generator get_return_object()
		{
			return Generator(Handle::from_promise(*this));
		}
		auto initial_suspend() noexcept
		{
			return on_initial_suspend(std::suspend_always());
		}
		auto final_suspend() noexcept
		{
			return on_final_suspend(std::suspend_always());
		}
		auto yield_value(std::uint64_t of) noexcept
		{
			value = of;
			return on_yield(std::suspend_always());
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
	std::uint64_t value() const { return handle.promise().value; }

private:
	Handle handle;
};

/* ---- tasks -------------------------------------------------------------- */

/* The ready coroutines, which two threads take in turn. */
class Queue {
public:
	void put(std::coroutine_handle<> handle)
	{
		const std::lock_guard guard(lock);

		ready.push_back(handle);
		changed.notify_one();
	}
	void close()
	{
		const std::lock_guard guard(lock);

		closed = true;
		changed.notify_all();
	}
	/* Resumes ready coroutines until the queue is closed. */
	void serve()
	{
		std::unique_lock guard(lock);

		for (;;) {
			changed.wait(guard, [this] {
				return closed || !ready.empty();
			});
			if (ready.empty())
				return;
			const std::coroutine_handle<> handle = ready.front();

			ready.pop_front();
			guard.unlock();
			SELFMON_REGION("loop")
				handle.resume();
			guard.lock();
		}
	}

private:
	std::mutex lock;
	std::condition_variable changed;
	std::deque<std::coroutine_handle<>> ready;
	bool closed = false;
};

Queue queue;

/* Another thread may be running the coroutine before put() returns. */
struct Later {
	bool await_ready() noexcept { return false; }
	void await_suspend(std::coroutine_handle<> handle) { queue.put(handle); }
	void await_resume() noexcept {}
};

/*
 * Another thread resumes the coroutine up to its next suspension before
 * await_suspend() returns.
 */
struct Elsewhere {
	bool await_ready() noexcept { return false; }
	void await_suspend(std::coroutine_handle<> handle)
	{
		std::thread([handle] { handle.resume(); }).join();
	}
	void await_resume() noexcept {}
};

/* An awaiter that cannot be moved, made by operator co_await. */
struct Sooner {
	struct Awaiter {
		explicit Awaiter(int of) : value(of) {}
		Awaiter(const Awaiter &) = delete;
		Awaiter &operator=(const Awaiter &) = delete;
		bool await_ready() noexcept { return value % 2; }
		bool await_suspend(std::coroutine_handle<>) noexcept
		{
			return false;
		}
		int await_resume() noexcept { return value; }
		int value;
	};
	int value;
};

[[maybe_unused]] Sooner::Awaiter operator co_await(const Sooner &sooner)
{
	return Sooner::Awaiter(sooner.value);
}

struct Thrower {
	bool await_ready() noexcept { return false; }
	void await_suspend(std::coroutine_handle<>)
	{
		throw std::runtime_error("not now");
	}
	void await_resume() noexcept {}
};

/* A task that its awaiter starts, and that resumes its awaiter when it ends. */
class Task {
public:
	struct promise_type : selfmon::CoroutineFiber {
		std::coroutine_handle<> awaiter = std::noop_coroutine();
		std::uint64_t value = 0;

		promise_type(const char *name, std::uint64_t)
			: CoroutineFiber(name)
		{
		}
		Task get_return_object()
		{
			return Task(Handle::from_promise(*this));
		}
		auto initial_suspend() noexcept
		{
			return on_initial_suspend(std::suspend_always());
		}
		struct Final {
			bool await_ready() noexcept { return false; }
			std::coroutine_handle<>
			await_suspend(std::coroutine_handle<promise_type> of)
				noexcept
			{
				return of.promise().awaiter;
			}
			void await_resume() noexcept {}
		};
		auto final_suspend() noexcept
		{
			return on_final_suspend(Final());
		}
		void return_value(std::uint64_t of) noexcept { value = of; }
		void unhandled_exception() { std::terminate(); }
	};
	using Handle = std::coroutine_handle<promise_type>;

	explicit Task(Handle made) : handle(made) {}
	Task(Task &&other) noexcept
		: handle(std::exchange(other.handle, nullptr))
	{
	}
	~Task()
	{
		if (handle)
			handle.destroy();
	}
	void start() { handle.resume(); }
	bool await_ready() noexcept { return false; }
	std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiter)
	{
		handle.promise().awaiter = awaiter;
		return handle;
	}
	std::uint64_t await_resume() { return handle.promise().value; }

private:
	Handle handle;
};

std::atomic<std::uint64_t> done;

/* The frame is freed when the job ends. The last job closes the queue. */
struct Job {
	struct promise_type : selfmon::CoroutineFiber {
		promise_type() : CoroutineFiber("job") {}
		Job get_return_object() { return {}; }
		auto initial_suspend() noexcept
		{
			return on_initial_suspend(Later());
		}
		auto final_suspend() noexcept
		{
			return on_final_suspend(std::suspend_never());
		}
		void return_void() noexcept {}
		void unhandled_exception() { std::terminate(); }
		~promise_type()
		{
			if (++done == MANY)
				queue.close();
		}
	};
};

/* ---- coroutines with regions -------------------------------------------- */

__attribute__((noinline)) void plain(std::uint64_t n)
{
	SELFMON_SCOPE("plain");
	rows().count(n);
}

Generator numbers(std::uint64_t count)
{
	SELFMON_SCOPE("numbers");
	for (std::uint64_t i = 0; i < count; i++) {
		rows().count(1);
		plain(10);
		co_yield i;
		rows().count(100);
	}
}

/*
 * A job awaits a branch, and a branch awaits its leaves. All three have open
 * regions meanwhile.
 */
Task leaf([[maybe_unused]] const char *name, std::uint64_t n)
{
	SELFMON_SCOPE("read");
	rows().count(1);
	co_await Later{};
	rows().count(n);
	co_return n;
}

Task branch([[maybe_unused]] const char *name, std::uint64_t n)
{
	std::uint64_t sum = 0;

	SELFMON_SCOPE("parse");
	for (std::uint64_t i = 0; i < TURNS; i++) {
		rows().count(1000);
		sum += co_await leaf("leaf", n);
		plain(1);
	}
	co_return sum;
}

Task mover([[maybe_unused]] const char *name, std::uint64_t n)
{
	SELFMON_SCOPE("moves");
	rows().count(1);
	for (std::uint64_t i = 0; i < TURNS; i++) {
		co_await Elsewhere{};
		rows().count(n);
		plain(1);
	}
	co_return n;
}

Job request(std::uint64_t n)
{
	SELFMON_SCOPE("request");
	for (std::uint64_t i = 0; i < TURNS; i++) {
		SELFMON_REGION("turn") {
			rows().count(1);
			co_await Later{};
			if (co_await branch("branch", n) != TURNS * n)
				std::abort();
			/*
			 * This coroutine resumes the generator while a region
			 * of this coroutine is open.
			 */
			Generator generator = numbers(2);

			while (generator.next())
				rows().count(10000);
		}
	}
	if (co_await Sooner{ 6 } + co_await Sooner{ 7 } != 13)
		std::abort();
	plain(7);
	try {
		co_await Thrower{};
	} catch (const std::runtime_error &) {
		plain(7);
	}
}

/* ---- what the report says ------------------------------------------------ */

const selfmon_row *check_row(const selfmon::Report &report,
			     std::initializer_list<const char *> path,
			     std::uint64_t visits, std::uint64_t suspended)
{
	const char *const name = *(path.end() - 1);
	const selfmon_row *const row = report.find(path);

	check("row", name, row != nullptr, 1);
	if (!row)
		return nullptr;
	check("visits", name, row->visits, visits);
	check("suspended", name, row->suspended, suspended);
	check("open", name, row->open, 0);
	return row;
}

void check_rows(const selfmon::Report &report,
		std::initializer_list<const char *> path, std::uint64_t visits,
		std::uint64_t suspended, std::uint64_t units)
{
	const selfmon_row *const row =
		check_row(report, path, visits, suspended);
	const char *const name = *(path.end() - 1);

	/* Visits that are counted but not measured have no work. */
	if (!row || row->measured < row->visits)
		return;
	for (std::size_t i = 0; i < report.units(); i++) {
		const auto unit = report.unit(
			static_cast<std::size_t>(row - &report[0]), i);

		if (unit && std::strcmp(unit->name, "rows") == 0) {
			check("units", name, unit->sum, units);
			return;
		}
	}
	check("units", name, 0, units);
}

std::uint64_t stale(const selfmon::Report &report)
{
	char *text = nullptr;
	size_t size = 0;
	std::FILE *const stream = open_memstream(&text, &size);
	unsigned long long number = 1;

	report.write(SELFMON_JSON, stream);
	std::fclose(stream);
	if (const char *const at = std::strstr(text, "\"stale\": "))
		number = std::strtoull(at + 9, nullptr, 10);
	std::free(text);
	return number;
}

/*
 * Checks the rows of the threads' own stacks, and that no row has lost visits.
 */
void check_others(const selfmon::Report &report)
{
	const selfmon_row *const around = report.find({ "around" }),
				*const loop = report.find({ "loop" });

	check("visits", "around", around ? around->visits : 0, 1);
	check("visits", "loop", loop ? loop->visits : 0,
	      MANY * (1 + TURNS * (1 + TURNS)));
	check("rows", "all", report.size(), 17);
	for (const selfmon_row &row : report) {
		check("cut off", row.name, row.cut_off, 0);
		check("overlapped", row.name, row.overlapped, 0);
		check("lost", row.name, row.lost, 0);
		check("open", row.name, row.open, 0);
	}
	check("leaves of visits that are gone", "all", stale(report), 0);
	check("detached spans", "all", report.spans().size(), 0);
	for (std::size_t i = 0; report.note(i); i++) {
		std::fprintf(stderr, "fibers: note: %s\n", report.note(i));
		check("notes", "all", 1, 0);
	}
}

void check_report(std::uint64_t generators)
{
	const std::uint64_t turns = MANY * TURNS, leaves = turns * TURNS,
			    all = generators + turns;
	const selfmon::Report report = selfmon::Report::take();

	/*
	 * These rows are below the fibers' own rows, no matter what resumed the
	 * fibers.
	 */
	check_row(report, { "generator" }, all + 1, 3 * all + 2);
	check_rows(report, { "generator", "numbers" }, all + 1, 2 * all + 1,
		   202 * all + 1);
	check_rows(report, { "generator", "numbers", "plain" }, 2 * all + 1, 0,
		   10 * (2 * all + 1));
	/* Destroying the fiber of another coroutine suspends this one, too. */
	check_row(report, { "job" }, MANY, 7 * turns + 3 * MANY);
	check_row(report, { "job", "request" }, MANY, 7 * turns + 2 * MANY);
	check_rows(report, { "job", "request", "turn" }, turns, 7 * turns,
		   20001 * turns);
	check_rows(report, { "job", "request", "plain" }, 2 * MANY, 0,
		   14 * MANY);
	check_row(report, { "branch" }, turns, 2 * leaves + turns);
	check_rows(report, { "branch", "parse" }, turns, 2 * leaves,
		   1000 * leaves);
	check_rows(report, { "branch", "parse", "plain" }, leaves, 0, leaves);
	check_row(report, { "leaf" }, leaves, 2 * leaves);
	check_rows(report, { "leaf", "read" }, leaves, leaves,
		   leaves + TURNS * TURNS * (MANY * (MANY - 1) / 2));
	check_row(report, { "mover" }, MOVED, (TURNS + 1) * MOVED);
	check_rows(report, { "mover", "moves" }, MOVED, TURNS * MOVED,
		   MOVED + TURNS * MOVED * (MOVED - 1) / 2);
	check_rows(report, { "mover", "moves", "plain" }, TURNS * MOVED, 0,
		   TURNS * MOVED);
	check_others(report);
}

} // namespace

int main()
{
	std::vector<std::thread> threads;

	SELFMON_REGION("around") {
		for (std::uint64_t i = 0; i < MANY; i++) {
			Generator generator = numbers(2);

			while (generator.next())
				continue;
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
	}
	/* This generator is destroyed before it is first resumed. */
	numbers(1);
	for (std::uint64_t i = 0; i < MOVED; i++)
		mover("mover", i).start();
	for (std::uint64_t i = 0; i < MANY; i++)
		request(i);
	for (std::uint64_t i = 0; i < THREADS; i++)
		threads.emplace_back([] { queue.serve(); });
	for (std::thread &thread : threads)
		thread.join();
	check_report(MANY);
	return failures ? 1 : 0;
}
