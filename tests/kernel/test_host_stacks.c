/* SPDX-License-Identifier: MIT */
/* Tests coroutines: the thread switches between stacks inside of regions. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "coroutines.h"
#include "store/process.h"

TestSuite(host_stacks, .init = setup);

static sigjmp_buf env;

static void visit_b(void)
{
	SELFMON_REGION("b")
	{
		yield(1);
	}
	yield(1);
}

/* The coroutine that entered first also leaves first. */
static void *interleave(void *place)
{
	make(0, visit_a, *(enum place *)place, 0);
	make(1, visit_b, *(enum place *)place, 1);
	resume(0);
	resume(1);
	resume(0);
	resume(1);
	return NULL;
}

/*
 * The entry of a span has no stack address. So the library recognises the
 * coroutines by the bounds of the thread's stack.
 */
static void *interleave_in_a_span(void *place)
{
	static struct selfmon_frame request;

	selfmon_enter(selfmon_region("request"), &request);
	interleave(place);
	selfmon_leave(&request);
	return NULL;
}

static void check_marked(const struct selfmon_report *report, const char *name)
{
	const struct selfmon_row *row = row_named(report, name);

	cr_assert_eq(row->visits, TIMES, "%s", name);
	cr_assert_eq(row->cut_off, 0, "%s", name);
	cr_assert_eq(row->open, 0, "%s", name);
	cr_assert_eq(row->switched, TIMES, "%s", name);
	cr_assert_not(row->exclusive_valid, "%s", name);
}

static void interleaved(void *(*body)(void *), enum place place,
			const char *events)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	struct selfmon_report *report;

	options.events = events;
	cr_assert_eq(selfmon_configure(&options), 0);
	on_thread(body, &place);
	report = rows_take();
	check_marked(report, "a");
	check_marked(report, "b");
	cr_assert_eq(selfmon_process()->stale, 0);
	selfmon_report_free(report);
}

Test(host_stacks, coroutines_that_take_turns_lose_no_visit_and_are_marked)
{
	interleaved(interleave, BELOW, "none");
}

Test(host_stacks, nor_where_their_stacks_lie_above_the_threads)
{
	interleaved(interleave, ABOVE, "none");
}

Test(host_stacks, nor_inside_of_a_span)
{
	interleaved(interleave_in_a_span, BELOW, "none");
}

Test(host_stacks, nor_above_the_threads_inside_of_a_span)
{
	interleaved(interleave_in_a_span, ABOVE, "none");
}

Test(host_stacks, nor_with_counters)
{
	interleaved(interleave, BELOW, "task-clock");
}

/* Runs on the main thread, which had no visit before. */
static void interleave_on_main(void)
{
	enum place place = BELOW;
	struct selfmon_report *report;
	int i;

	for (i = 0; i < TIMES; i++)
		interleave(&place);
	report = rows_take();
	check_marked(report, "a");
	check_marked(report, "b");
	cr_assert_eq(selfmon_process()->stale, 0);
	selfmon_report_free(report);
}

Test(host_stacks, nor_on_the_main_thread)
{
	interleave_on_main();
}

Test(host_stacks, nor_in_a_child_of_it)
{
	const pid_t pid = fork();
	int status;

	if (pid == 0) {
		interleave_on_main();
		_exit(0);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/*
 * Without a guard page, the bounds of the thread's stack are unknown. In this
 * case a coroutine is detected only if its stack is above the stack of a visit
 * that it outlives.
 */
Test(host_stacks, nor_where_nobody_knows_the_threads_own)
{
	enum place place = BELOW;
	struct selfmon_report *report;

	mprotect(memory + OWN * STACK, GUARD, PROT_READ | PROT_WRITE);
	on_thread(interleave, &place);
	report = rows_take();
	cr_assert_eq(row_named(report, "a")->visits, TIMES);
	cr_assert_eq(row_named(report, "b")->visits, TIMES);
	cr_assert_eq(selfmon_process()->stale, 0);
	selfmon_report_free(report);
}

static void visit(const char *name)
{
	SELFMON_REGION_OF(selfmon_region(name))
	{
	}
}

/* The thread makes visits while a coroutine waits inside of a region. */
static void *work_meanwhile(void *place)
{
	make(0, visit_a, *(enum place *)place, 0);
	visit("before");
	resume(0);
	visit("meanwhile");
	resume(0);
	visit("after");
	return NULL;
}

static void meanwhile(enum place place)
{
	struct selfmon_report *report;

	on_thread(work_meanwhile, &place);
	report = rows_take();
	check_marked(report, "a");
	check_marked(report, "meanwhile");
	cr_assert_eq(ROWS_GET(report, "before")->switched, 0);
	cr_assert_eq(ROWS_GET(report, "after")->switched, 0);
	cr_assert(ROWS_GET(report, "before")->exclusive_valid);
	selfmon_report_free(report);
}

Test(host_stacks, the_threads_own_visits_are_marked_while_a_coroutine_has_one)
{
	meanwhile(BELOW);
}

Test(host_stacks, also_where_its_stack_lies_above)
{
	meanwhile(ABOVE);
}

static void *start_a(void *unused)
{
	(void)unused;
	resume(0);
	return NULL;
}

/* The thread on which the coroutine began continues with visits of its own. */
static void *hand_on(void *unused)
{
	pthread_t other;

	(void)unused;
	make(0, visit_a, BELOW, 0);
	resume(0);
	cr_assert_eq(pthread_create(&other, NULL, start_a, NULL), 0);
	pthread_join(other, NULL);
	visit("after");
	return NULL;
}

Test(host_stacks, a_coroutine_that_ends_a_visit_on_another_thread_is_reported)
{
	struct selfmon_report *report;

	on_thread(hand_on, NULL);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "a")->visits, 0);
	cr_assert_eq(ROWS_GET(report, "a")->cut_off, TIMES);
	cr_assert_eq(selfmon_process()->stale, TIMES);
	selfmon_report_free(report);
}

Test(host_stacks, one_that_goes_on_after_its_thread_has_ended_is_reported)
{
	struct selfmon_report *report;

	/* TIMES threads begin a coroutine each. Only the last is resumed. */
	on_thread(begin_only, NULL);
	start_a(NULL);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "a")->visits, 0);
	cr_assert_eq(ROWS_GET(report, "a")->cut_off, TIMES);
	cr_assert_eq(selfmon_process()->stale, 1);
	selfmon_report_free(report);
}

static void visit_in_handler(int signal)
{
	(void)signal;
	visit("handler");
}

Test(host_stacks, a_handler_on_its_own_stack_is_no_coroutine)
{
	const stack_t stack = { .ss_sp = memory, .ss_size = STACK };
	struct sigaction action = { .sa_handler = visit_in_handler,
				    .sa_flags = SA_ONSTACK };
	struct selfmon_report *report;

	cr_assert_eq(sigaltstack(&stack, NULL), 0);
	sigaction(SIGUSR1, &action, NULL);
	selfmon_region("handler");
	SELFMON_REGION("around")
	{
		raise(SIGUSR1);
		visit("after");
	}
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "around", "handler")->switched, 0);
	cr_assert_eq(ROWS_GET(report, "around", "after")->switched, 0);
	cr_assert(ROWS_GET(report, "around")->exclusive_valid);
	selfmon_report_free(report);
}

static void jump_out_of_handler(int signal)
{
	(void)signal;
	SELFMON_REGION("left")
	{
		siglongjmp(env, 1);
	}
}

/*
 * The handler's visit is outside of the bounds that the library first guesses
 * for the thread's stack.
 */
static void *jump_from_other_stack(void *unused)
{
	const stack_t stack = { .ss_sp = memory, .ss_size = STACK };
	struct sigaction action = { .sa_handler = jump_out_of_handler,
				    .sa_flags = SA_ONSTACK };

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	selfmon_region("left");
	SELFMON_REGION("around")
	{
		if (!sigsetjmp(env, 1))
			raise(SIGUSR1);
	}
	visit("after");
	return unused;
}

Test(host_stacks, a_jump_out_of_a_handler_on_its_own_stack_is_no_coroutine)
{
	struct selfmon_report *report;

	on_thread(jump_from_other_stack, NULL);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "around", "left")->cut_off, TIMES);
	cr_assert_eq(ROWS_GET(report, "around")->visits, TIMES);
	cr_assert_eq(ROWS_GET(report, "around")->switched, 0);
	cr_assert_eq(ROWS_GET(report, "after")->switched, 0);
	selfmon_report_free(report);
}

static __attribute__((noinline)) void visit_deep(int kib)
{
	volatile char frame[1024];

	frame[0] = 0;
	if (kib > 0)
		visit_deep(kib - 1);
	else
		visit("deep");
	frame[1023] = frame[0];
}

Test(host_stacks, a_main_stack_that_may_grow_further_is_the_threads_own)
{
	struct selfmon_report *report;
	struct rlimit limit;

	cr_assert_eq(getrlimit(RLIMIT_STACK, &limit), 0);
	if (limit.rlim_max < (8 << 20))
		cr_skip_test("the stack may not grow to 8 MiB");
	limit.rlim_cur = 1 << 20;
	setrlimit(RLIMIT_STACK, &limit);
	visit("shallow");
	limit.rlim_cur = 8 << 20;
	setrlimit(RLIMIT_STACK, &limit);
	visit_deep(2048);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "deep")->switched, 0);
	selfmon_report_free(report);
}
