/* SPDX-License-Identifier: MIT */
/*
 * Tests that the program's function (selfmon_options.longer) is called for
 * visits that last longer than a limit. Such visits may also trigger a trace:
 * see tests/tools/trace.py.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/slow.h"
#include "store/self.h"
#include "store/watch.h"

/*
 * The limit is far longer than the interruptions that a short visit may have on
 * a busy machine.
 */
/* Not a round number: few clocks have a tick at this time. */
#define LIMIT_NS UINT64_C(200000001)
#define SLOW_NS (LIMIT_NS + LIMIT_NS / 2)

static struct called {
	struct selfmon_longer visit;
	const void *stack; /* address in the function's frame */
	uint32_t calls;
} called;
static int argument;

static void note(const struct selfmon_longer *visit, void *context)
{
	cr_assert_eq(context, &argument);
	called.visit = *visit;
	called.stack = __builtin_frame_address(0);
	called.calls++;
}

static void note_slowly(const struct selfmon_longer *visit, void *context)
{
	note(visit, context);
	SELFMON_REGION("inside")
		work_for(SLOW_NS);
}

static struct selfmon_options options_of(const char *events,
					 selfmon_longer_fn longer, uint64_t ns)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = events;
	options.output = NULL;
	options.longer = longer;
	options.longer_context = &argument;
	options.longer_ns = ns;
	return options;
}

static void begin_with(const char *events, selfmon_longer_fn longer)
{
	const struct selfmon_options options =
		options_of(events, longer, LIMIT_NS);

	cr_assert_eq(selfmon_configure(&options), 0);
}

static void expect_call(const char *name)
{
	const struct selfmon_longer *const visit = &called.visit;

	cr_assert_eq(called.calls, 1);
	cr_expect_eq(visit->size, sizeof(*visit));
	cr_expect_str_eq(visit->name, name);
	cr_expect_eq(visit->thread, (uint32_t)gettid());
	cr_expect_geq(visit->ns, SLOW_NS - SLOW_NS / 50);
	cr_expect_eq(visit->limit_ns, LIMIT_NS);
	cr_expect_geq(visit->end - visit->begin,
		      selfmon_watch_ticks(SLOW_NS - SLOW_NS / 50));
	cr_expect_leq(visit->end, selfmon_clock_ticks());
	called.calls = 0;
}

Test(longer, is_called_for_each_longer_visit)
{
	int i;

	begin_with("none", note);
	for (i = 0; i < 1000; i++)
		visit("a", 0);
	cr_expect_eq(called.calls, 0);
	visit("a", SLOW_NS);
	expect_call("a");
	visit("a", 0);
	/* This visit exceeds the limit, but is not the longest so far. */
	visit("a", SLOW_NS - LIMIT_NS / 4);
	cr_expect_eq(called.calls, 1);
	called.calls = 0;
	SELFMON_REGION("line")
		work_for(SLOW_NS);
	cr_expect_eq(called.visit.line, __LINE__ - 2);
	cr_expect_not_null(strstr(called.visit.file, "test_longer.c"));
	expect_call("line");
}

Test(longer, counts_the_visits_around_too)
{
	begin_with("none", note);
	SELFMON_REGION("outer")
		visit("inner", SLOW_NS);
	cr_expect_eq(called.calls, 2);
	cr_expect_str_eq(called.visit.name, "outer");
}

/* With events, and with units, visits end on other paths. */
Test(longer, is_called_with_events)
{
	begin_with("page-faults", note);
	visit("a", 0);
	visit("a", SLOW_NS);
	expect_call("a");
	SELFMON_REGION("items") {
		work_for(SLOW_NS);
		selfmon_region_items(1);
	}
	expect_call("items");
}

Test(longer, is_called_for_detached_spans)
{
	struct selfmon_async_span span;

	begin_with("none", note);
	selfmon_async_begin(selfmon_region("span"), &span);
	work_for(SLOW_NS);
	selfmon_async_end(&span);
	expect_call("span");
}

/*
 * The function is called after the visit has ended. So the visits that the
 * function makes are not inside the visit.
 */
Test(longer, may_visit_regions_and_is_not_called_again)
{
	struct selfmon_report *report;

	begin_with("none", note_slowly);
	visit("a", SLOW_NS);
	expect_call("a");
	report = rows_take();
	cr_expect_eq(ROWS_GET(report, "inside")->depth, 0);
	cr_expect_eq(ROWS_GET(report, "inside")->visits, 1);
	selfmon_report_free(report);
	visit("a", SLOW_NS);
	expect_call("a");
}

static struct selfmon_frame kept_open;

static void enter_span(const struct selfmon_longer *visit, void *context)
{
	note(visit, context);
	selfmon_enter(selfmon_region("kept open"), &kept_open);
}

Test(longer, may_begin_a_span_that_stays_open)
{
	struct selfmon_report *report;

	begin_with("none", enter_span);
	SELFMON_REGION("a")
		work_for(SLOW_NS);
	expect_call("a");
	visit("other", 0);
	selfmon_leave(&kept_open);
	report = rows_take();
	cr_expect_eq(ROWS_GET(report, "kept open")->visits, 1);
	cr_expect_eq(report->stale, 0);
	selfmon_report_free(report);
}

static void visit_in_handler(int signal)
{
	(void)signal;
	visit("handler's", SLOW_NS);
}

/* The function runs on the handler's stack while "around" is still open. */
Test(longer, is_called_in_the_handler_in_which_the_visit_ended)
{
	static char room[65536];
	const stack_t stack = { .ss_sp = room, .ss_size = sizeof(room) };
	struct sigaction action = { .sa_handler = visit_in_handler,
				    .sa_flags = SA_ONSTACK };

	begin_with("none", note);
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	visit("a", 0);
	selfmon_region("handler's");
	SELFMON_REGION("around") {
		raise(SIGUSR1);
		cr_expect((const char *)called.stack > room &&
			  (const char *)called.stack < room + sizeof(room));
		expect_call("handler's");
	}
	cr_expect_eq(called.calls, 1);
	cr_expect_str_eq(called.visit.name, "around");
}

static __thread uint32_t own_calls;

static void count_own(const struct selfmon_longer *visit, void *context)
{
	cr_assert_eq(context, &argument);
	cr_expect_eq(visit->thread, (uint32_t)syscall(SYS_gettid));
	own_calls++;
}

static void *visit_in_thread(void *slow)
{
	visit("threads'", slow ? SLOW_NS : 0);
	return (void *)(uintptr_t)own_calls;
}

Test(longer, is_called_in_the_thread_of_the_visit)
{
	pthread_t thread[4];
	void *calls;
	uintptr_t i;

	begin_with("none", count_own);
	for (i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, visit_in_thread,
			       (void *)(i % 2));
	for (i = 0; i < 4; i++) {
		pthread_join(thread[i], &calls);
		cr_expect_eq((uintptr_t)calls, i % 2);
	}
}

Test(longer, is_called_in_a_forked_child)
{
	pid_t child;
	int status;

	begin_with("none", note);
	visit("a", 0);
	child = fork();
	cr_assert_geq(child, 0);
	if (!child) {
		visit("a", 0);
		visit("a", SLOW_NS);
		_exit(called.calls != 1 ||
		      called.visit.thread != (uint32_t)getpid());
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	cr_expect_eq(called.calls, 0);
}

/* A visit may exceed the limit without being one of the slowest. */
Test(longer, is_beside_the_slowest_visits)
{
	struct selfmon_options options = options_of("none", note, LIMIT_NS);
	struct selfmon_recorded_visit slower = { .ticks = 0 };
	struct selfmon_report *report;
	struct selfmon_due due;
	int i;

	options.record = "slowest";
	cr_assert_eq(selfmon_configure(&options), 0);
	for (i = 0; i < 100; i++)
		visit("a", 1000);
	visit("a", SLOW_NS);
	report = rows_take();
	cr_expect_eq(kept(report, "a", NULL), SELFMON_SLOW_VISITS);
	cr_expect_geq(slowest(report, "a")->ns, SLOW_NS - SLOW_NS / 50);
	selfmon_report_free(report);
	expect_call("a");
	slower.node = selfmon_thread_self()->root->next;
	slower.ticks = selfmon_watch_ticks(10 * SLOW_NS);
	slower.end = selfmon_clock_ticks();
	slower.start = slower.end - slower.ticks;
	for (i = 0; i < 20; i++) {
		selfmon_recorder_add(selfmon_thread_self(), &slower, &due);
		cr_expect_not_null(due.node);
	}
	visit("a", SLOW_NS);
	expect_call("a");
}

Test(longer, has_limits_that_are_allowed)
{
	const uint64_t wrong[] = { 1, 99, UINT64_C(100000000001), UINT64_MAX };
	struct selfmon_options options;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		options = options_of("none", note, wrong[i]);
		cr_expect_eq(selfmon_configure(&options), -EINVAL);
	}
	options = options_of("none", note, 100);
	cr_expect_eq(selfmon_configure(&options), 0);
	options = options_of("none", NULL, 1);
	cr_expect_eq(selfmon_configure(&options), 0);
	/*
	 * 0 stands for the limit of the trace. There is no trace, so no limit.
	 */
	options = options_of("none", note, 0);
	cr_expect_eq(selfmon_configure(&options), 0);
	visit("a", SLOW_NS);
	cr_expect_eq(called.calls, 0);
}

/* Without a function to call, a thread has no ring, and a region no limit. */
Test(longer, is_off)
{
	struct selfmon_options options = options_of("none", NULL, LIMIT_NS);

	cr_assert_eq(selfmon_configure(&options), 0);
	visit("a", 0);
	cr_expect_null(selfmon_thread_self()->recorder);
	cr_expect_null(selfmon_watch_of(
		selfmon_process(), selfmon_thread_self()->root->next->region));
}
