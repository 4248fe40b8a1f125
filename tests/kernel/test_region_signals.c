/* SPDX-License-Identifier: MIT */
/* Regions in signal handlers that interrupt the library itself. */
#include <signal.h>
#include <unistd.h>

#include "region/process.h"
#include "region/thread.h"
#include "rows.h"

static void visit_new(int signal)
{
	(void)signal;
	SELFMON_REGION("in handler")
	{
	}
}

static void visit(void)
{
	SELFMON_REGION("visit")
	{
	}
}

/* A handler's first visit while this thread holds the library's lock. */
static void interrupt_under_lock(void)
{
	struct selfmon_process *process = selfmon_process();

	alarm(10); /* instead of waiting for ever */
	signal(SIGUSR1, visit_new);
	selfmon_process_lock(process);
	raise(SIGUSR1);
	selfmon_process_unlock(process);
}

Test(region_signals, a_handler_does_not_wait_for_a_lock_its_thread_holds)
{
	struct selfmon_report *report;

	visit();
	interrupt_under_lock();
	visit();
	report = rows_take();
	cr_assert_null(ROWS_FIND(report, "in handler"));
	cr_assert_eq(ROWS_GET(report, "visit")->visits, 2);
	cr_assert_eq(selfmon_thread_attach()->unready, 1);
	selfmon_report_free(report);
	raise(SIGUSR1);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "in handler")->visits, 1);
	selfmon_report_free(report);
}

Test(region_signals, nor_one_that_its_thread_holds_before_its_first_visit)
{
	struct selfmon_report *report;

	interrupt_under_lock();
	visit();
	report = rows_take();
	cr_assert_null(ROWS_FIND(report, "in handler"));
	cr_assert_eq(ROWS_GET(report, "visit")->visits, 1);
	selfmon_report_free(report);
}

Test(region_signals, a_handler_inside_of_a_visit_is_its_child)
{
	struct selfmon_report *report;

	signal(SIGUSR1, visit_new);
	visit_new(0);
	SELFMON_REGION("interrupted")
	{
		raise(SIGUSR1);
		raise(SIGUSR1);
	}
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "in handler")->visits, 1);
	cr_assert_eq(ROWS_GET(report, "interrupted", "in handler")->visits, 2);
	cr_assert_eq(ROWS_GET(report, "interrupted")->visits, 1);
	selfmon_report_free(report);
}

static char alternate[1 << 16];

Test(region_signals, a_handler_on_another_stack_cuts_nothing_off)
{
	const stack_t stack = { .ss_sp = alternate,
				.ss_size = sizeof(alternate) };
	struct sigaction action = { .sa_handler = visit_new,
				    .sa_flags = SA_ONSTACK };
	struct selfmon_report *report;

	cr_assert_eq(sigaltstack(&stack, NULL), 0);
	cr_assert_eq(sigaction(SIGUSR1, &action, NULL), 0);
	SELFMON_REGION("interrupted")
	{
		raise(SIGUSR1);
	}
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "interrupted")->visits, 1);
	cr_assert_eq(ROWS_GET(report, "interrupted")->cut_off, 0);
	cr_assert_eq(ROWS_GET(report, "interrupted", "in handler")->visits, 1);
	selfmon_report_free(report);
}
