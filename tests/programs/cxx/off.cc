/* SPDX-License-Identifier: MIT */
/*
 * This file is compiled with SELFMON_DISABLE even if the rest of the program
 * measures.
 */
#ifndef SELFMON_DISABLE
#define SELFMON_DISABLE
#endif
#include "check.h"

static void calls()
{
	selfmon_options options = SELFMON_OPTIONS_INIT;
	selfmon_report *report = nullptr;
	struct selfmon_thread_usage usage; /* a function has the same name */

	CHECK(selfmon_configure(&options) == -ENOSYS);
	CHECK(selfmon_prepare() == -ENOSYS);
	CHECK(selfmon_report_take(&report) == -ENOSYS && !report);
	CHECK(selfmon_report_print(SELFMON_TEXT, stderr) == -ENOSYS);
	CHECK(!selfmon_enable(true) && selfmon_clock_ticks() == 0);
	CHECK(selfmon_clock()->hz == 1000000000);
	CHECK(selfmon_clock_ns(selfmon_clock(), 5) == 0);
	selfmon_thread_usage(&usage);
	CHECK(usage.cpu_ns == 0 && usage.blocked == 0);
}

static void classes()
{
	selfmon_failure failure = {};
	const selfmon::CounterSet set =
		selfmon::CounterSet::open("task-clock", 0, &failure);
	const selfmon::Delta delta = set.measure([] {});
	const selfmon::Report report = selfmon::Report::take();

	CHECK(!set && set.counting() == 0 && failure.error == ENOSYS);
	CHECK(!set.find("task-clock") && set.values(delta).size() == 0);
	CHECK(!delta.count(0) && delta.ns() == 0);
	CHECK(!report && report.size() == 0 && !report.find({ "outer" }));
}

#ifdef __cpp_exceptions
static void throws()
{
	int thrown = 0;

	try {
		const selfmon::CounterSet set("task-clock");
	} catch (const selfmon::Error &error) {
		thrown += error.code() == ENOSYS &&
			  std::strstr(error.what(), "SELFMON_DISABLE");
	}
	try {
		const selfmon::Report report;
	} catch (const selfmon::Error &error) {
		thrown += error.code() == ENOSYS;
	}
	CHECK(thrown == 2);
}
#else
static void throws() {}
#endif

#ifdef __cpp_impl_coroutine
struct numbers {
	struct promise_type : selfmon::CoroutineFiber {
		promise_type() : CoroutineFiber("compiled off") {}
		numbers get_return_object()
		{
			return { std::coroutine_handle<
				promise_type>::from_promise(*this) };
		}
		auto initial_suspend() noexcept
		{
			return on_initial_suspend(std::suspend_never());
		}
		auto final_suspend() noexcept
		{
			return on_final_suspend(std::suspend_always());
		}
		auto yield_value(int of) noexcept
		{
			value = of;
			return on_yield(std::suspend_always());
		}
		void return_void() noexcept {}
		void unhandled_exception() noexcept { std::terminate(); }
		int value = 0;
	};
	std::coroutine_handle<promise_type> handle;
};

static numbers count_to(int end)
{
	SELFMON_SCOPE("compiled off");
	for (int i = 1; i <= end; i++) {
		co_await std::suspend_never();
		co_yield i;
	}
}

static void coroutines()
{
	const numbers counted = count_to(3);
	int sum = 0;

	for (; !counted.handle.done(); counted.handle.resume())
		sum += counted.handle.promise().value;
	CHECK(sum == 6 && !counted.handle.promise().get());
	counted.handle.destroy();
}
#else
static void coroutines() {}
#endif

void check_compiled_off()
{
	SELFMON_SCOPE("compiled off");
	static selfmon::Site site("compiled off");
	const selfmon::Region region(site);

	calls();
	classes();
	throws();
	coroutines();
	CHECK((reported("compiled off") == sums{ 0, 0, 0 }));
}
