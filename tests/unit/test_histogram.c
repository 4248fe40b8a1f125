/* SPDX-License-Identifier: MIT */
/*
 * Tests the histogram of a node's times. It lacks the latest visit until it is
 * copied.
 */
#include <criterion/criterion.h>

#include "store/copy.h"
#include "store/mend.h"
#include "store/self.h"
#include "store/state.h"
#include "store/stats.h"

static struct selfmon_thread thread;
static struct selfmon_node node;
static struct selfmon_stats *const stats = node.stats;
static struct selfmon_stats copy;

static void init(void)
{
	selfmon_stats_init(stats);
}

static uint64_t copied_visits(void)
{
	uint64_t visits = 0;
	size_t i;

	cr_assert(selfmon_stats_read(&thread, &node, &copy));
	cr_assert_not(selfmon_stats_complete(&copy, true));
	for (i = 0; i < SELFMON_BUCKETS; i++)
		visits += copy.histogram[i];
	return visits;
}

Test(histogram, is_empty_before_the_first_visit, .init = init)
{
	cr_assert_eq(copied_visits(), 0);
}

Test(histogram, a_copy_has_every_visit_once, .init = init)
{
	selfmon_histogram_add(stats, 10);
	selfmon_histogram_add(stats, 1000);
	selfmon_histogram_add(stats, SELFMON_TICKS_LONG);
	cr_assert_eq(copied_visits(), 3);
	cr_assert_eq(copy.histogram[selfmon_bucket_of(10)], 1);
	cr_assert_eq(copy.histogram[selfmon_bucket_of(1000)], 1);
	cr_assert_eq(copy.histogram[SELFMON_BUCKETS - 1], 1);
}

Test(histogram, copying_does_not_change_it, .init = init)
{
	selfmon_histogram_add(stats, 10);
	copied_visits();
	cr_assert_eq(copied_visits(), 1);
}
