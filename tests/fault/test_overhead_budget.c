/* SPDX-License-Identifier: MIT */
/*
 * Tests how long a report measures the library's overhead, with a simulated
 * clock.
 */
#include <criterion/criterion.h>

#include <selfmon.h>

#include "fault/kernel_faults.h"
#include "store/process.h"
#include "report/model.h"
#include "rows.h"

#define STEP_NS 100000
#define BUDGET_NS 1000000
/*
 * Queries of the clock in addition to one for each sample: one at the start,
 * one by the measurement with known work (visit/shadow.c), and two for each of
 * the three kinds of visits.
 */
#define OTHER_LOOKS 8
#define SAMPLES_MIN 21

static void visit_each_kind(void)
{
	SELFMON_REGION("outer")
		SELFMON_REGION("middle")
			SELFMON_REGION("inner")
				selfmon_region_items(1);
}

static double noise_of_outer(unsigned int *looks)
{
	struct selfmon_report *report;
	double noise;

	kernel_faults.cpu_looks = 0;
	report = rows_take();
	*looks = kernel_faults.cpu_looks;
	cr_assert(report->calibrated);
	noise = ROWS_GET(report, "outer")->time.noise;
	selfmon_report_free(report);
	return noise;
}

/*
 * Returns the budget: 1 ms, or a hundredth of the time since the library's first
 * use if that is more.
 */
static uint64_t budget_ns(void)
{
	const uint64_t lived = selfmon_clock_ns(
		selfmon_clock(),
		selfmon_clock_ticks() - selfmon_process()->start_ticks);
	const uint64_t part = lived / 100;

	return part > BUDGET_NS ? part : BUDGET_NS;
}

Test(overhead_budget, of_a_short_process_is_a_millisecond_in_all)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	unsigned int looks;

	kernel_faults_clear();
	kernel_faults.cpu_step_ns = STEP_NS;
	options.events = "none";
	options.output = NULL;
	cr_assert_eq(selfmon_configure(&options), 0);
	visit_each_kind();
	cr_assert_gt(noise_of_outer(&looks), 0);
	cr_assert_leq(looks,
		      (budget_ns() + STEP_NS - 1) / STEP_NS + OTHER_LOOKS);

	/*
	 * Makes the process two minutes older, so that everything is measured
	 * again.
	 */
	selfmon_process()->start_ticks -= 120 * selfmon_clock()->hz;
	noise_of_outer(&looks);
	cr_assert_geq(looks, 4 * SAMPLES_MIN);

	/* Afterwards the noise is known, so nothing is measured. */
	noise_of_outer(&looks);
	cr_assert_eq(looks, 0);
}
