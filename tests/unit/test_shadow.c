/* SPDX-License-Identifier: MIT */
/*
 * Tests the overhead of visits that do work, and the noise that a report
 * states.
 */
#include <criterion/criterion.h>

#include "store/calibration.h"
#include "store/process.h"
#include "visit/shadow.h"
#include "rows.h"

#define VISITS 1000

static __attribute__((noinline)) void visit(void)
{
	SELFMON_REGION("outer")
		SELFMON_REGION("inner")
			__asm__ __volatile__("");
}

static struct selfmon_report *report_of_visits(bool fence)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	int i;

	options.events = "none";
	options.output = NULL;
	options.fence = fence;
	cr_assert_eq(selfmon_configure(&options), 0);
	for (i = 0; i < VISITS; i++)
		visit();
	/*
	 * A report may spend 1 % of the time since start_ticks on measuring
	 * the overhead. An earlier start gives slow machines time for all
	 * samples.
	 */
	selfmon_process()->start_ticks -= UINT64_C(1) << 40;
	return rows_take();
}

static void expect_noise(const struct selfmon_row *row)
{
	cr_expect_geq(row->time.noise, 3.0 * VISITS, "%s: %.1f ns a visit",
		      row->name, row->time.noise / VISITS);
}

/*
 * A noise is stated even if the overhead hardly differs between the kinds of
 * work.
 */
Test(shadow, a_time_states_a_noise)
{
	struct selfmon_report *report = report_of_visits(false);

	expect_noise(ROWS_GET(report, "outer"));
	expect_noise(ROWS_GET(report, "outer", "inner"));
	selfmon_report_free(report);
}

Test(shadow, a_fenced_time_states_a_noise)
{
	struct selfmon_report *report = report_of_visits(true);

	expect_noise(ROWS_GET(report, "outer"));
	expect_noise(ROWS_GET(report, "outer", "inner"));
	selfmon_report_free(report);
}

/*
 * Visits with system calls take so long that overlap with the work does not
 * matter.
 */
Test(shadow, an_overhead_of_system_calls_stays_as_it_is)
{
	const double second = (double)selfmon_clock()->hz;
	struct selfmon_calibration calibration = {
		.inner = { .ticks = second, .ticks_spread = 3 },
		.outer = { .ticks = 2 * second, .ticks_spread = 4 },
	};

	selfmon_shadow_measure(&calibration, UINT64_MAX);
	cr_expect_eq(calibration.inner.ticks, second);
	cr_expect_eq(calibration.inner.ticks_spread, 3);
	cr_expect_eq(calibration.outer.ticks, 2 * second);
	cr_expect_eq(calibration.outer.ticks_spread, 7);
}

Test(shadow, without_time_the_noise_is_all_that_empty_regions_show)
{
	const double ns = 1e-9 * (double)selfmon_clock()->hz;
	struct selfmon_calibration calibration = {
		.inner = { .ticks = 40 * ns },
		.outer = { .ticks = 60 * ns },
	};

	selfmon_thread_prepare();
	cr_assert_not(selfmon_shadow_measure(&calibration, 0));
	cr_expect_float_eq(calibration.inner.ticks, 20 * ns, 1e-6);
	cr_expect_float_eq(calibration.inner.ticks_spread, 80 * ns, 1e-6);
	cr_expect_float_eq(calibration.outer.ticks, 30 * ns, 1e-6);
	cr_expect_float_eq(calibration.outer.ticks_spread, 200 * ns, 1e-6);
}
