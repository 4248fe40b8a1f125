/* SPDX-License-Identifier: MIT */
/* Tests regions that the environment switches off: which calls are not made. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include <selfmon.h>

#include "fault/kernel_faults.h"
#include "report/model.h"
#include "rows.h"
#include "session/thread.h"
#include "store/config.h"
#include "store/process.h"

static void setup(void)
{
	cr_assert_eq(setenv("SELFMON_ENABLE", "0", 1), 0);
	cr_assert_eq(setenv("SELFMON_OUTPUT", "none", 1), 0);
}

TestSuite(region_off, .init = setup);

static __attribute__((noinline)) void visit(void)
{
	SELFMON_REGION("off")
		selfmon_compiler_fence();
}

static void assert_visits(uint64_t visits)
{
	struct selfmon_report *const report = rows_take();
	const struct selfmon_row *const row = ROWS_FIND(report, "off");

	cr_assert_eq(row ? row->visits : 0, visits);
	selfmon_report_free(report);
}

Test(region_off, takes_no_memory_and_opens_nothing)
{
	kernel_faults_clear();
	visit();
	visit();
	cr_assert_eq(kernel_faults.call[FAULT_MEMORY].calls, 0);
	cr_assert_eq(kernel_faults.any.calls, 0, "%u calls that can fail",
		     kernel_faults.any.calls);
	cr_assert_eq(selfmon_enable(false), false);
}

/*
 * A second thread may have begun its visit before the first one switched
 * regions off.
 */
Test(region_off, makes_no_state_for_a_second_thread)
{
	kernel_faults_clear();
	cr_assert(selfmon_config_switches_off());
	cr_assert_null(selfmon_thread_attach());
	cr_assert_null(selfmon_process_made());
	cr_assert_eq(kernel_faults.any.calls, 0, "%u calls that can fail",
		     kernel_faults.any.calls);
}

Test(region_off, goes_on_once_the_program_switches_it_on)
{
	visit();
	selfmon_enable(true);
	visit();
	visit();
	assert_visits(2);
}

Test(region_off, goes_on_where_the_first_visit_comes_after_the_switch)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = "none";
	cr_assert_eq(selfmon_configure(&options), 0);
	visit();
	selfmon_enable(true);
	visit();
	assert_visits(1);
}

Test(region_off, reports_no_time_since_a_start_that_was_none)
{
	struct selfmon_report *report;

	visit();
	report = rows_take();
	cr_assert_eq(report->elapsed_ns, 0);
	selfmon_report_free(report);
}
