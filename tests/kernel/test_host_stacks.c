/* SPDX-License-Identifier: MIT */
/* Coroutines: regions on stacks that the thread's own code switches between. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

#include "region/process.h"
#include "rows.h"
#include "sanitizer.h"

#define STACK ((size_t)256 << 10)

/* Below, the thread, above: three pieces of one mapping. */
enum place { BELOW, OWN, ABOVE, PLACES };

static char *memory;
static ucontext_t scheduler, coroutine[2];

static void setup(void)
{
	SKIP_IF_SANITIZED("it does not follow swapcontext");
	memory = mmap(NULL, PLACES * STACK, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq((void *)memory, MAP_FAILED);
}

TestSuite(host_stacks, .init = setup);

static void yield(int i)
{
	swapcontext(&coroutine[i], &scheduler);
}

static void resume(int i)
{
	swapcontext(&scheduler, &coroutine[i]);
}

static void make(int i, void (*body)(void), enum place place, size_t half)
{
	getcontext(&coroutine[i]);
	coroutine[i].uc_stack.ss_sp = memory + place * STACK + half * STACK / 2;
	coroutine[i].uc_stack.ss_size = STACK / 2;
	coroutine[i].uc_link = &scheduler;
	makecontext(&coroutine[i], body, 0);
}

/*
 * On a thread whose stack lies between those of its coroutines, and then on
 * others that go on with its state: the first two visits of a region go
 * another way than those after them.
 */
#define TIMES 4

static void on_thread(void *(*body)(void *), void *argument)
{
	pthread_attr_t attr;
	pthread_t thread;
	int i;

	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, memory + OWN * STACK, STACK);
	for (i = 0; i < TIMES; i++) {
		cr_assert_eq(pthread_create(&thread, &attr, body, argument),
			     0);
		pthread_join(thread, NULL);
	}
	pthread_attr_destroy(&attr);
}

static void visit_a(void)
{
	SELFMON_REGION("a")
	{
		yield(0);
	}
	yield(0);
}

static void visit_b(void)
{
	SELFMON_REGION("b")
	{
		yield(1);
	}
	yield(1);
}

/* The coroutine that entered first leaves first. */
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

static const struct selfmon_row *row_named(const struct selfmon_report *report,
					   const char *name)
{
	size_t i;

	for (i = 0; i < selfmon_report_rows(report); i++)
		if (!strcmp(selfmon_report_row(report, i)->name, name))
			return selfmon_report_row(report, i);
	cr_assert_fail("no row");
	return NULL;
}

/* All that began has ended, and each is marked. */
static void check_marked(const struct selfmon_report *report, const char *name)
{
	const struct selfmon_row *row = row_named(report, name);

	cr_assert_eq(row->visits, TIMES, "%s", name);
	cr_assert_eq(row->cut_off, 0, "%s", name);
	cr_assert_eq(row->open, 0, "%s", name);
	cr_assert_eq(row->switched, TIMES, "%s", name);
	cr_assert_not(row->exclusive_valid, "%s", name);
}

static void interleaved(enum place place, const char *events)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	struct selfmon_report *report;

	options.events = events;
	cr_assert_eq(selfmon_configure(&options), 0);
	on_thread(interleave, &place);
	report = rows_take();
	check_marked(report, "a");
	check_marked(report, "b");
	cr_assert_eq(selfmon_process()->stale, 0);
	selfmon_report_free(report);
}

Test(host_stacks, coroutines_that_take_turns_lose_no_visit_and_are_marked)
{
	interleaved(BELOW, "none");
}

Test(host_stacks, nor_where_their_stacks_lie_above_the_threads)
{
	interleaved(ABOVE, "none");
}

Test(host_stacks, nor_with_counters)
{
	interleaved(BELOW, "task-clock");
}

static void visit(const char *name)
{
	SELFMON_REGION_OF(selfmon_region(name))
	{
	}
}

/* The thread's own work while a coroutine waits inside of a region. */
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

/* The thread that began is still there, and goes on with its own. */
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

Test(host_stacks, a_coroutine_that_ends_a_visit_on_another_thread_is_told)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	struct selfmon_report *report;

	options.events = "task-clock";
	cr_assert_eq(selfmon_configure(&options), 0);
	on_thread(hand_on, NULL);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "a")->visits, TIMES);
	cr_assert_eq(ROWS_GET(report, "a")->foreign, TIMES);
	cr_assert_eq(ROWS_GET(report, "a")->cut_off, 0);
	cr_assert_eq(ROWS_GET(report, "a")->counter[0].visits, 0);
	cr_assert_eq(ROWS_GET(report, "after")->visits, TIMES);
	cr_assert_eq(ROWS_GET(report, "after")->switched, 0);
	selfmon_report_free(report);
}

static void *begin_only(void *unused)
{
	(void)unused;
	make(0, visit_a, BELOW, 0);
	resume(0);
	return NULL;
}

Test(host_stacks, one_that_goes_on_after_its_thread_has_ended_is_told)
{
	struct selfmon_report *report;

	on_thread(begin_only, NULL); /* and again: the first is lost */
	start_a(NULL);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "a")->visits, 0);
	cr_assert_eq(ROWS_GET(report, "a")->cut_off, TIMES);
	cr_assert_eq(selfmon_process()->stale, 1);
	selfmon_report_free(report);
}

/* Dropped inside of its region; its bytes are used by another like it. */
static void *drop(void *unused)
{
	begin_only(unused);
	return begin_only(unused);
}

Test(host_stacks, one_that_is_dropped_is_cut_off_when_its_bytes_are_used_again)
{
	struct selfmon_report *report;

	on_thread(drop, NULL);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "a")->visits, 0);
	cr_assert_eq(ROWS_GET(report, "a")->open, 0);
	cr_assert_eq(ROWS_GET(report, "a")->cut_off, 2 * TIMES);
	selfmon_report_free(report);
}

/* Each on a stack of its own, which nobody uses again. */
static void drop_one(char *stack)
{
	getcontext(&coroutine[0]);
	coroutine[0].uc_stack.ss_sp = stack;
	coroutine[0].uc_stack.ss_size = STACK / 2;
	coroutine[0].uc_link = &scheduler;
	makecontext(&coroutine[0], visit_a, 0);
	resume(0);
}

Test(host_stacks, further_visits_than_256_dropped_ones_are_counted_too_deep)
{
	const size_t size = (SELFMON_DEPTH_MAX + 1) * STACK / 2;
	char *const stacks = mmap(NULL, size, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct selfmon_report *report;
	size_t i;

	cr_assert_neq((void *)stacks, MAP_FAILED);
	for (i = 0; i <= SELFMON_DEPTH_MAX; i++)
		drop_one(stacks + i * STACK / 2);
	visit("after");
	report = rows_take();
	cr_assert_eq(selfmon_thread_attach()->too_deep, 2);
	cr_assert_null(ROWS_FIND(report, "after"));
	selfmon_report_free(report);
}

static struct selfmon_frame span[2];

static void enter_span(void)
{
	selfmon_enter(selfmon_region("of the coroutine"), &span[1]);
	yield(0);
	selfmon_leave(&span[1]);
	yield(0);
}

static void *span_over_switches(void *unused)
{
	(void)unused;
	make(0, enter_span, BELOW, 0);
	selfmon_enter(selfmon_region("of the thread"), &span[0]);
	resume(0);
	selfmon_leave(&span[0]);
	resume(0);
	return NULL;
}

Test(host_stacks, spans_are_nested_by_their_beginning_and_not_marked)
{
	struct selfmon_report *report;

	on_thread(span_over_switches, NULL);
	report = rows_take();
	cr_assert_eq(row_named(report, "of the thread")->visits, TIMES);
	cr_assert_eq(row_named(report, "of the thread")->switched, 0);
	/* Of what was left before it, it is a sibling. */
	cr_assert_eq(ROWS_GET(report, "of the coroutine")->visits, TIMES);
	cr_assert_eq(ROWS_GET(report, "of the coroutine")->switched, 0);
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
