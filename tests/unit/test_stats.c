/* SPDX-License-Identifier: MIT */
/* What a visit leaves in its statistics. */
#include <criterion/criterion.h>

#include "region/state.h"

Test(stats, a_visit_whose_clock_went_back_has_no_huge_duration)
{
	static struct selfmon_thread thread;
	static struct selfmon_stats stats;
	const struct selfmon_delta delta = { .ticks = (uint64_t)-5 };

	selfmon_stats_init(&stats);
	selfmon_stats_delta(&thread, &stats, &delta);
	cr_assert_eq(selfmon_stats_visits(&stats), 1);
	cr_assert_eq(stats.ticks.max, 0);
	cr_assert_eq(stats.rare[SELFMON_RARE_IMPOSSIBLE], 1);
}
