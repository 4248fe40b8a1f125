/* SPDX-License-Identifier: MIT */
/* Tests signal handlers, and their jumps, in the middle of a switch of fibers. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>

#include "kernel/fiber_work.h"

#ifdef __x86_64__

#define TRAP_FLAG "0x100"

static struct selfmon_fiber *first, *second;
static volatile uint64_t handled;
static volatile int steps;
static atomic_int runs;
static sigjmp_buf out;

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

static bool handlers_fault;

static void visit_in_handler(int number)
{
	(void)number;
	SELFMON_REGION("handler") {
		handled++;
		if (handlers_fault)
			fault(1);
	}
}

static void switch_to_first(void)
{
	selfmon_fiber_switch(first);
}

static void switch_to_second(void)
{
	selfmon_fiber_switch(second);
}

static void visit_between(void)
{
	SELFMON_REGION("between")
		atomic_load(&runs);
}

static uint64_t visits_of(const struct selfmon_report *report, const char *name)
{
	uint64_t visits = 0;
	size_t i;

	for (i = 0; i < selfmon_report_row_count(report); i++)
		if (!strcmp(selfmon_report_row(report, i)->name, name))
			visits += selfmon_report_row(report, i)->visits;
	return visits;
}

static void nothing_is_lost(const char *events)
{
	struct selfmon_report *report;
	int i;

	SKIP_IF_SANITIZED("it makes too many steps of one");
	choose(events);
	first = selfmon_fiber_create("first");
	second = selfmon_fiber_create("second");
	visit_in_handler(0);
	visit_between();
	signal(SIGTRAP, visit_in_handler);
	SELFMON_REGION("own") {
		for (i = 0; i < 5; i++) {
			step_by_step(switch_to_first);
			visit_between();
			step_by_step(switch_to_second);
			visit_between();
		}
		selfmon_fiber_switch(NULL);
	}
	signal(SIGTRAP, SIG_DFL);
	selfmon_fiber_destroy(first);
	selfmon_fiber_destroy(second);
	cr_assert_gt(handled, 500);
	report = rows_take();
	rows_check(report);
	cr_assert_eq(report->unread, 0);
	cr_assert_eq(visits_of(report, "between"), 11);
	cr_assert_eq(visits_of(report, "own"), 1);
	cr_assert_eq(visits_of(report, "first"), 1);
	cr_assert_eq(visits_of(report, "second"), 1);
	/*
	 * Visits of handlers in the middle of a switch are not measured, but
	 * counted in report->unready.
	 */
	cr_assert_eq(visits_of(report, "handler") + report->unready, handled);
	cr_assert_gt(report->unready, 100);
	for (i = 0; handlers_fault &&
		    i < (int)selfmon_report_row_count(report); i++) {
		const struct selfmon_row *const row =
			selfmon_report_row(report, (size_t)i);

		if (!strcmp(row->name, "handler"))
			cr_assert_geq(row->counter[0].sum, row->visits);
	}
	selfmon_report_free(report);
}

Test(fibers, handlers_at_each_instruction_of_a_switch_lose_no_visit)
{
	nothing_is_lost("none");
}

Test(fibers, handlers_at_each_instruction_of_one_with_counters_neither)
{
	handlers_fault = true;
	nothing_is_lost("page-faults");
}

static void jump_out(int number)
{
	(void)number;
	if (--steps == 0)
		siglongjmp(out, 1);
}

static bool jump_after(int instructions)
{
	steps = instructions;
	if (sigsetjmp(out, 1))
		return true;
	step_by_step(switch_to_second);
	return false;
}

Test(fibers, jumps_out_of_each_instruction_of_a_switch_lose_no_open_visit)
{
	struct selfmon_frame a = { NULL, { 0 } }, b = { NULL, { 0 } };
	struct selfmon_region *const of_first = selfmon_region("of first");
	struct selfmon_region *const of_second = selfmon_region("of second");
	struct selfmon_report *report;
	bool jumped;
	int i = 0;

	SKIP_IF_SANITIZED("it makes too many steps of one");
	choose("none");
	first = selfmon_fiber_create("first");
	second = selfmon_fiber_create("second");
	visit_between();
	signal(SIGTRAP, jump_out);
	do {
		selfmon_fiber_switch(second);
		selfmon_enter(of_second, &b);
		selfmon_fiber_switch(first);
		selfmon_enter(of_first, &a);
		jumped = jump_after(++i);
		selfmon_fiber_switch(first);
		selfmon_leave(&a);
		selfmon_fiber_switch(second);
		selfmon_leave(&b);
	} while (jumped);
	selfmon_fiber_switch(NULL);
	signal(SIGTRAP, SIG_DFL);
	selfmon_fiber_destroy(first);
	selfmon_fiber_destroy(second);
	cr_assert_gt(i, 60);
	report = rows_take();
	rows_check(report);
	cr_assert_eq(visits_of(report, "of first"), (uint64_t)i);
	cr_assert_eq(visits_of(report, "of second"), (uint64_t)i);
	cr_assert_eq(ROWS_GET(report, "first")->visits, 1);
	cr_assert_eq(ROWS_GET(report, "second", "of second")->cut_off, 0);
	selfmon_report_free(report);
}

#endif
