/* SPDX-License-Identifier: MIT */
/* Tests the noise that is stated for the library's overhead. */
#include "report/model.h"
#include "rows.h"
#include "sanitizer.h"

/*
 * The calibration cannot show how much longer system calls take in a program.
 * A loop of visits with calls whose self time is less than this noise must not
 * look like a number.
 */
Test(overhead_noise, of_visits_with_system_calls_is_a_share_of_their_overhead)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	const struct selfmon_row *row;
	struct selfmon_report *report;
	double both;
	int i;

	SKIP_IF_SANITIZED("it is too slow for the calibration's time");
	options.events = "page-faults";
	options.output = NULL;
	cr_assert_eq(selfmon_configure(&options), 0);
	SELFMON_REGION("loop")
		for (i = 0; i < 1000; i++)
			SELFMON_REGION("visit")
				;
	report = rows_take();
	both = report->inner_ns + report->outer_ns;
	cr_assert_gt(both, 0);
	cr_expect_geq(report->outer_ns_spread / 2, 0.449 * both);
	row = ROWS_GET(report, "loop");
	cr_expect_geq(row->time.noise, 1000 * 0.449 * both);
	selfmon_report_free(report);
}
