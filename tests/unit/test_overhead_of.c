/* SPDX-License-Identifier: MIT */
/*
 * Tests which noise is added for kinds of visits whose overhead is not
 * measured.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "report/overhead_of.h"

Test(overhead_of, a_kind_that_was_not_measured_adds_noise)
{
	struct selfmon_calibration calibration;
	struct selfmon_overhead of;
	struct selfmon_stats stats;

	memset(&calibration, 0, sizeof(calibration));
	memset(&stats, 0, sizeof(stats));
	calibration.done = 1;
	calibration.kind[SELFMON_KIND_SAME].ticks_spread = 20;
	calibration.kind[SELFMON_KIND_STEP].ticks_spread = 2;
	calibration.skipped.ticks_spread = 8;
	stats.kind[SELFMON_KIND_SAME] = 5;
	stats.kind[SELFMON_KIND_STEP] = (uint64_t)-3;
	stats.rare[SELFMON_RARE_SKIPPED] = 2;
	of = selfmon_overhead_of(&calibration, -1, 0.5);
	cr_assert_eq(selfmon_overhead_beyond(&of, &stats), 0);
	cr_assert_eq(selfmon_overhead_beyond_noise(&of, &stats),
		     (5 * 20 + 3 * 2 + 2 * 8) / 2 * 0.5);
}
