/* SPDX-License-Identifier: MIT */
/*
 * Tests the records of the slowest visits while signal handlers interrupt
 * visits, on x86-64 after each instruction.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "form.h"
#include "kernel/slow.h"
#include "sanitizer.h"
#include "store/name.h"
#include "store/self.h"
#include "store/watch.h"

static void visit_in_handler(int signal)
{
	(void)signal;
	visit("handler's", 0);
}

/* Handlers may run between any two instructions of a visit's end. */
Test(slowest, and_their_parts_are_whole_with_handlers)
{
	const struct itimerval often = { { 0, 1000 }, { 0, 1000 } },
			       never = { { 0, 0 }, { 0, 0 } };
	const struct selfmon_slow *slow;
	struct selfmon_report *report;
	const struct selfmon_row *row;
	uint64_t parts = 0;
	size_t i;

	record();
	signal(SIGALRM, visit_in_handler);
	setitimer(ITIMER_REAL, &often, NULL);
	for (i = 0; i < 300; i++)
		SELFMON_REGION("a") {
			visit("b", 0);
			visit("b", i == 200 ? 4 * LONG_NS : 0);
		}
	setitimer(ITIMER_REAL, &never, NULL);
	report = rows_take();
	slow = slow_with(report, "a", "b", 4 * LONG_LEAST_NS);
	for (i = 0; i < slow->parts; i++)
		parts += slow->part[i].ns >= 4 * LONG_LEAST_NS;
	cr_expect_eq(parts, 1);
	cr_expect_geq(slow->inner, 2);
	row = ROWS_GET(report, "a");
	cr_expect_eq(row->measured, 300);
	cr_expect_eq(ROWS_GET(report, "a", "b")->measured, 600);
	selfmon_report_free(report);
}

#ifdef __x86_64__

#define TRAP_FLAG "0x100"

/*
 * The kernel clears the trap flag for the handler, so the handler is not
 * stepped.
 */
static void step_by_step(void (*what)(void))
{
	__asm__ volatile("pushfq; orq $" TRAP_FLAG ", (%%rsp); popfq" ::
				 : "memory", "cc");
	what();
	__asm__ volatile("pushfq; andq $~" TRAP_FLAG ", (%%rsp); popfq" ::
				 : "memory", "cc");
}

static void once(void)
{
	SELFMON_REGION("stepped")
		;
}

static sigjmp_buf out;
static volatile int steps, nested;

static void nest(int signal)
{
	(void)signal;
	nested++;
	SELFMON_REGION("handler's")
		;
}

static void jump_out(int signal)
{
	(void)signal;
	if (--steps == 0)
		siglongjmp(out, 1);
}

/*
 * Stepped visits are slow, so each would be kept as one of the slowest. While a
 * visit is kept, signals are blocked and no handler can interrupt it. So this
 * function raises the limits, and no further visit is kept. The limits from
 * which parts are of interest stay as they are.
 */
static void keep_none_any_more(void)
{
	const struct selfmon_node *node = selfmon_thread_self()->root->next;
	struct selfmon_watch *watch;

	for (; node; node = node->next) {
		watch = selfmon_watch_of(selfmon_process(), node->region);
		watch->limit = SELFMON_WATCH_LIMIT_MAX;
	}
}

/* Returns how many entries of the ring belong to a region. */
static uint64_t entries_of(const char *name)
{
	const struct selfmon_recorder *const recorder =
		selfmon_thread_self()->recorder;
	uint64_t i, n = 0;

	cr_assert_lt(recorder->position, SELFMON_RECORDER_ENTRIES);
	for (i = 0; i < recorder->position; i++)
		n += !strcmp(name, selfmon_name_of((uint32_t)(
						     recorder->entry[i]
							     .ticks_region &
						     SELFMON_ENDED_REGION_MASK))
					   ->site.name);
	return n;
}

Test(slowest, no_visit_is_lost_with_a_handler_at_each_instruction)
{
	const uint64_t warm = SELFMON_SLOW_VISITS + 1;
	uint64_t i;

	SKIP_IF_SANITIZED("it makes too many steps of one");
	record();
	SELFMON_REGION("outer") {
		for (i = 0; i < warm; i++) {
			once();
			nest(0);
		}
		keep_none_any_more();
		signal(SIGTRAP, nest);
		for (i = 0; i < 3; i++) /* the ring has room for all */
			step_by_step(once);
	}
	cr_expect_gt(nested, 200);
	cr_expect_eq(entries_of("stepped"), warm + 3);
	cr_expect_eq(entries_of("handler's"), (uint64_t)nested);
	cr_expect_eq(selfmon_thread_self()->recorder->position,
		     warm + 3 + (uint64_t)nested + entries_of("outer"));
}

static bool jump_after(int instructions)
{
	steps = instructions;
	if (sigsetjmp(out, 1))
		return true;
	step_by_step(once);
	return false;
}

/* Visits "stepped" in a region that is in another region. */
static void once_inside(void)
{
	SELFMON_REGION("outermost")
		SELFMON_REGION("outer")
			once();
}

/*
 * Like jump_after(), but inside of these regions. The end of "outer" removes
 * what the jump left open.
 */
static bool jump_inside(int instructions)
{
	bool jumped = false;

	SELFMON_REGION("outermost")
		SELFMON_REGION("outer")
			jumped = jump_after(instructions);
	return jumped;
}

/* A jump may leave one entry of the ring with its old contents. */
Test(slowest, a_jump_at_each_instruction_leaves_the_ring_whole)
{
	const int stride = quick_or_all(5, 1);
	uint64_t ended = 0, jumped = 0;
	int i;

	SKIP_IF_SANITIZED("it makes too many steps of one");
	record();
	for (i = 0; i <= (int)SELFMON_SLOW_VISITS; i++) {
		once_inside();
		ended++;
	}
	keep_none_any_more();
	signal(SIGTRAP, jump_out);
	for (i = 1; jump_inside(i); i += stride) {
		once_inside();
		ended++;
		jumped++;
	}
	cr_expect(i > 50 && i < 5000, "%d instructions", i);
	cr_expect_geq(entries_of("stepped"), ended);
	cr_expect_leq(entries_of("stepped"), ended + jumped + 1);
	cr_expect_eq(entries_of("outer"), ended + jumped + 1);
}

static void mark_once(int signal)
{
	(void)signal;
	if (--steps == 0)
		selfmon_frame_mark("turn");
}

static void visit_often(void)
{
	int i;

	for (i = 0; i < 20; i++)
		once();
}

static bool has_frame_of(const struct selfmon_report *report, uint64_t inner)
{
	const struct selfmon_slow *first = NULL;
	size_t n = kept(report, "turn", &first);

	while (n > 0 && first[n - 1].inner != inner)
		n--;
	return n > 0;
}

/*
 * Steps through a visit that sets the limits of its node. After this number of
 * instructions a handler marks the thread's first frame, from which on the
 * visits need entries. Returns 0 if the next frame has its 20 visits, 1 if it
 * has not, and 2 if the visit has fewer instructions.
 */
static int first_mark_after(int instructions)
{
	struct selfmon_report *report;

	record();
	visit_often();
	keep_none_any_more();
	once();
	signal(SIGTRAP, mark_once);
	steps = instructions;
	step_by_step(once);
	if (steps > 0)
		return 2;
	selfmon_frame_mark("turn");
	visit_often();
	selfmon_frame_mark("turn");
	report = rows_take();
	return !has_frame_of(report, 20);
}

Test(slowest, are_parts_of_frames_whenever_a_handler_marks_the_first_one)
{
	const int stride = quick_or_all(3, 1);
	int i, status = 0;

	SKIP_IF_SANITIZED("it makes too many steps of one");
	for (i = 1; status == 0; i += stride) {
		const pid_t child = fork();

		if (child == 0)
			_exit(first_mark_after(i));
		cr_assert_eq(waitpid(child, &status, 0), child);
		cr_assert_neq(status, 1 << 8, "after %d instructions", i);
	}
	cr_expect_eq(status, 2 << 8);
	cr_expect(i > 50 && i < 5000, "%d instructions", i);
}

static struct selfmon_region *fresh;

static void visit_fresh(void)
{
	SELFMON_REGION_OF(fresh)
		;
}

static void count_fresh(void)
{
	SELFMON_REGION_OF(fresh)
		selfmon_region_items(1);
}

static void count_once(int signal)
{
	(void)signal;
	if (--steps == 0)
		selfmon_region_items(1);
}

static void visit_once(int signal)
{
	(void)signal;
	if (--steps == 0)
		count_fresh();
}

/*
 * Steps through the third visit of a new region. It is the longest, so it sets
 * `recorded` of the node. After this number of instructions a handler counts
 * the node's first unit. The fourth visit is short, and counts another unit.
 * Returns false if the third visit has fewer instructions.
 */
static bool count_after(int instructions)
{
	char name[32];

	snprintf(name, sizeof(name), "fresh %d", instructions);
	fresh = selfmon_region(name);
	SELFMON_REGION("outer") {
		visit_fresh();
		keep_none_any_more();
		visit_fresh();
		steps = instructions;
		step_by_step(visit_fresh);
		count_fresh();
	}
	return steps <= 0;
}

static void check_counts_after_each_instruction(void (*handler)(int))
{
	const int stride = quick_or_all(3, 1);
	struct selfmon_report *report;
	uint64_t counted = 0, items = 0;
	size_t row;
	int i;

	record();
	signal(SIGTRAP, handler);
	for (i = 1; count_after(i); i += stride)
		counted += 2;
	cr_expect(i > 50 && i < 5000, "%d instructions", i);
	report = rows_take();
	for (row = 0; row < selfmon_report_row_count(report); row++)
		items += selfmon_report_row(report, row)->items;
	cr_expect_eq(items, counted + 1); /* the last has no handler */
	selfmon_report_free(report);
}

Test(slowest, no_unit_is_lost_with_a_handler_at_each_instruction)
{
	SKIP_IF_SANITIZED("it makes too many steps of one");
	check_counts_after_each_instruction(count_once);
}

Test(slowest, no_unit_is_lost_with_a_visiting_handler_at_each_instruction)
{
	SKIP_IF_SANITIZED("it makes too many steps of one");
	check_counts_after_each_instruction(visit_once);
}

#endif
