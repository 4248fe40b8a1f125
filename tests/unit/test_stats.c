/* SPDX-License-Identifier: MIT */
/* Tests how a visit changes its statistics, and copies and repairs of them. */
#include <criterion/criterion.h>

#include <selfmon/region.h>

#include "store/copy.h"
#include "store/mend.h"
#include "store/state.h"
#include "store/self.h"
#include "store/statistics.h"
#include "store/stats.h"

static uint64_t mark;

Test(stats, a_visit_whose_clock_went_back_has_no_huge_duration)
{
	static struct selfmon_thread thread;
	static struct selfmon_stats stats;
	const struct selfmon_delta delta = { .ticks = (uint64_t)-5 };

	selfmon_stats_init(&stats);
	selfmon_stats_delta(&thread, &stats, &delta, &mark);
	cr_assert_eq(selfmon_stats_visits(&stats), 1);
	cr_assert_eq(stats.ticks.max, 0);
	cr_assert_eq(stats.rare[SELFMON_RARE_IMPOSSIBLE], 1);
}

static struct selfmon_node node;
static struct selfmon_stats *const stats = node.stats;

static void init(void)
{
	selfmon_stats_init(stats);
}

Test(stats, an_endless_visit_does_not_become_the_usual_one, .init = init)
{
	selfmon_stats_time(stats, 100, false, &mark);
	selfmon_stats_time(stats, SELFMON_TICKS_LAST, true, &mark);
	selfmon_stats_time(stats, (uint64_t)-5, false, &mark);
	cr_assert_eq(selfmon_stats_visits(stats), 3);
	cr_assert_eq(stats->unusual, SELFMON_TICKS_LONG,
		     "a bucket beyond the last would be "
		     "written to");
	cr_assert_eq(stats->ticks.max, SELFMON_TICKS_LAST);
	cr_assert_eq(stats->ticks.min, 0);
	cr_assert_eq(stats->migrated, 1);
	cr_assert_eq(stats->rare[SELFMON_RARE_IMPOSSIBLE], 1);
}

/*
 * The clocks of riscv64 and arm64 have long ticks, so a visit may take 0 ticks.
 */
Test(stats, no_time_is_usual_where_work_waits_to_be_counted, .init = init)
{
	struct selfmon_visit sentinel = { .node = &node };

	selfmon_stats_time(stats, 100, false, &mark);
	cr_assert(selfmon_stats_usual(stats, 0));
	cr_assert(selfmon_stats_usual(stats, 100));
	cr_assert_not(selfmon_stats_usual(stats, 101));
	selfmon_thread_self()->open = &sentinel;
	selfmon_thread_self()->top = &sentinel;
	selfmon_region_bytes(7);
	selfmon_thread_self()->open = NULL;
	selfmon_thread_self()->top = NULL;
	cr_assert_not(selfmon_stats_usual(stats, 0), "these wait on");
	selfmon_stats_time(stats, 0, false, &mark);
	cr_assert_eq(stats->units[SELFMON_IMPL_BYTES], 7);
	cr_assert(selfmon_stats_usual(stats, 100), "as before the work");
}

Test(stats, a_copy_asked_for_waits_until_the_update_is_done, .init = init)
{
	static struct selfmon_stats copy;
	static struct selfmon_thread thread = { .copy = &copy };

	selfmon_stats_time(stats, 100, false, &mark);
	thread.wanted = &node;
	thread.mode = SELFMON_MODE_TIME | SELFMON_MODE_REQUEST;
	selfmon_stats_begin(stats);
	selfmon_stats_answer(&thread);
	cr_assert_eq(thread.wanted, &node, "half an update was handed out");
	cr_assert(thread.mode & SELFMON_MODE_REQUEST);
	selfmon_stats_end(stats);
	selfmon_stats_answer(&thread);
	cr_assert_null(thread.wanted);
	cr_assert_eq(thread.mode, SELFMON_MODE_TIME);
	cr_assert_eq(copy.ticks.sum, 100);
}

static void check_sums(const struct selfmon_sums *sums, uint64_t visits)
{
	cr_assert_leq(visits * sums->min, sums->sum);
	cr_assert_geq(visits * sums->max, sums->sum);
}

Test(stats, an_update_that_was_jumped_out_of_is_a_visit, .init = init)
{
	selfmon_stats_begin(stats);
	selfmon_stats_mend(stats);
	selfmon_stats_end(stats);
	cr_assert_eq(selfmon_stats_visits(stats), 1);
	check_sums(&stats->ticks, 1);
}

Test(stats, whether_its_time_had_come_in_or_not, .init = init)
{
	selfmon_stats_time(stats, 100, false, &mark);
	selfmon_stats_time(stats, 101, false, &mark);
	selfmon_stats_begin(stats);
	selfmon_stats_mend(stats);
	selfmon_stats_end(stats);
	check_sums(&stats->ticks, 3);
	selfmon_stats_begin(stats);
	selfmon_arch_add(&stats->ticks.sum, 1000);
	selfmon_stats_mend(stats);
	selfmon_stats_end(stats);
	check_sums(&stats->ticks, 4);
	cr_assert_eq(stats->ticks.sum, 1300);
}
