/* SPDX-License-Identifier: MIT */
/*
 * Tests the histogram of a node's times. The latest short time is added to the
 * histogram by the node's next visit. A copy of the statistics already includes
 * this time.
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
	unsigned int b;

	cr_assert(selfmon_stats_read(&thread, &node, &copy));
	cr_assert_not(selfmon_stats_complete(&copy, true));
	for (b = 0; b < SELFMON_BUCKETS; b++)
		visits += selfmon_stats_bucket(&copy, b);
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
	selfmon_histogram_add(stats, SELFMON_TICKS_LAST);
	cr_assert_eq(copied_visits(), 3);
	cr_assert_eq(selfmon_stats_bucket(&copy, selfmon_bucket_of(10)), 1);
	cr_assert_eq(selfmon_stats_bucket(&copy, selfmon_bucket_of(1000)), 1);
	cr_assert_eq(selfmon_stats_bucket(&copy, SELFMON_BUCKETS - 1), 1);
}

static uint64_t highest(unsigned int bucket)
{
	return bucket < SELFMON_BUCKETS - 1 ? selfmon_bucket_low(bucket + 1) - 1
					    : UINT64_MAX >> 1;
}

Test(histogram, has_each_time_in_its_bucket, .init = init)
{
	unsigned int b;

	for (b = 0; b < SELFMON_BUCKETS; b++) {
		selfmon_histogram_add(stats, selfmon_bucket_low(b));
		selfmon_histogram_add(stats, highest(SELFMON_BUCKETS - 1 - b));
		cr_assert_eq(copied_visits(), 2 * (b + 1));
	}
	for (b = 0; b < SELFMON_BUCKETS; b++)
		cr_assert_eq(selfmon_stats_bucket(&copy, b), 2, "bucket %u", b);
}

Test(histogram, copying_does_not_change_it, .init = init)
{
	selfmon_histogram_add(stats, 10);
	copied_visits();
	cr_assert_eq(copied_visits(), 1);
}
