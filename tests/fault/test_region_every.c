/* SPDX-License-Identifier: MIT */
/*
 * Tests SELFMON_EVERY: which work is skipped in visits that are not measured.
 */
#include <criterion/criterion.h>

#include <selfmon.h>

#include "fault/kernel_faults.h"
#include "rows.h"

#define EVERY 4
#define VISITS 16
#define FIRST 8

static __attribute__((noinline)) void visit(int visits)
{
	while (visits-- > 0)
		SELFMON_REGION("sampled")
			selfmon_compiler_fence();
}

Test(region_every, reads_nothing_at_either_end_of_a_visit_it_only_counts)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	struct selfmon_report *report;
	unsigned int reads;

	options.every = EVERY;
	options.events = "task-clock,page-faults";
	options.output = NULL;
	cr_assert_eq(selfmon_configure(&options), 0);
	/*
	 * One visit is measured in each group of 1, 1, 2 and 4; the first one
	 * opens the events.
	 */
	visit(FIRST);
	kernel_faults_clear();
	visit(VISITS);
	reads = kernel_faults.call[FAULT_READ].calls;
	cr_assert_eq(reads, 2 * VISITS / EVERY, "%u system calls", reads);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "sampled")->visits, VISITS + FIRST);
	cr_assert_eq(ROWS_GET(report, "sampled")->measured,
		     VISITS / EVERY + 4);
	selfmon_report_free(report);
}
