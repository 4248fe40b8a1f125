/* SPDX-License-Identifier: MIT */
/* Tests the number of nodes in the tree if spans overlap in ever new orders. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/stat.h>

#include "kernel/lives.h"
#include "kernel/slow.h"
#include "session/thread.h"
#include "store/live.h"
#include "store/process.h"

#define NAMES 8
#define SPANS 32
#define OPERATIONS 4000 /* a thread's tree is full after 1,100 */

TestSuite(host_places, .init = setup, .fini = teardown);

static const char *const name[NAMES] = { "a", "b", "c", "d",
					 "e", "f", "g", "h" };

static uint32_t random_below(uint32_t *state, uint32_t end)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state % end;
}

/* An event loop: each operation ends a random span and begins one. */
static void overlap(uint32_t seed)
{
	struct selfmon_frame frame[SPANS] = { { .open = NULL } };
	uint32_t i, k;

	for (i = 0; i < OPERATIONS; i++) {
		k = random_below(&seed, SPANS);
		selfmon_leave(&frame[k]);
		selfmon_enter(selfmon_region(name[random_below(&seed, NAMES)]),
			      &frame[k]);
	}
	for (k = 0; k < SPANS; k++)
		selfmon_leave(&frame[k]);
}

static uint32_t places(void)
{
	return selfmon_thread_attach()->nodes;
}

static uint64_t displaced(void)
{
	return selfmon_thread_attach()->record->displaced;
}

static void check_reported(const struct selfmon_report *report, uint64_t times)
{
	char words[128];

	snprintf(words, sizeof(words), "%llu visits shown at a wrong place of "
		 "the tree: the thread has its maximum of 16384",
		 (unsigned long long)times);
	cr_assert(says(report, words), "%s", words);
	snprintf(words, sizeof(words), "\"displaced\": %llu,",
		 (unsigned long long)times);
	cr_assert(rows_say(report, SELFMON_JSON, words), "%s", words);
}

Test(host_places, spans_in_ever_new_orders_make_no_more_than_16384)
{
	overlap(1);
	cr_assert_geq(places(), SELFMON_PLACES_MAX);
	cr_assert_leq(places(), SELFMON_PLACES_MAX + NAMES);
}

Test(host_places, no_visit_is_lost_and_those_displaced_are_reported)
{
	struct selfmon_report *report;

	overlap(1);
	cr_assert_gt(displaced(), 0);
	cr_assert_eq(selfmon_thread_attach()->record->unready, 0);
	report = rows_take();
	rows_check(report);
	cr_assert_eq(visits_in(report), OPERATIONS);
	check_reported(report, displaced());
	selfmon_report_free(report);
}

Test(host_places, nothing_is_reported_where_each_has_its_place)
{
	struct selfmon_frame first, second;
	struct selfmon_report *report;

	selfmon_enter(selfmon_region("a"), &first);
	selfmon_enter(selfmon_region("b"), &second);
	selfmon_leave(&first);
	selfmon_leave(&second);
	cr_assert_eq(displaced(), 0);
	report = rows_take();
	cr_assert_not(says(report, "wrong place"));
	cr_assert(rows_say(report, SELFMON_JSON, "\"displaced\": 0,"));
	selfmon_report_free(report);
}

static void visit_in(const char *outer, const char *inner)
{
	SELFMON_REGION_OF(selfmon_region(outer))
	{
		SELFMON_REGION_OF(selfmon_region(inner))
		{
		}
	}
}

Test(host_places, a_visit_without_a_place_is_in_the_row_at_the_top)
{
	struct selfmon_report *report;
	uint64_t before;
	int i;

	overlap(1);
	before = displaced();
	for (i = 0; i < 3; i++)
		visit_in("outer", "inner");
	cr_assert_eq(displaced(), before + 3);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "outer")->visits, 3);
	cr_assert_eq(ROWS_GET(report, "outer")->overlapped, 3);
	cr_assert_not(ROWS_GET(report, "outer")->exclusive_valid);
	cr_assert_null(ROWS_FIND(report, "outer", "inner"));
	cr_assert_eq(ROWS_GET(report, "inner")->visits, 3);
	selfmon_report_free(report);
}

/*
 * There are more children than slots in a node, so some children must be found
 * in the hash table.
 */
static void visit_many_in(const char *outer)
{
	char text[16];
	int i;

	for (i = 0; i < 2 * SELFMON_CHILDREN; i++) {
		snprintf(text, sizeof(text), "inner %d", i);
		visit_in(outer, text);
	}
}

Test(host_places, places_that_are_there_are_still_used)
{
	struct selfmon_report *report;
	uint64_t before;

	visit_many_in("outer");
	overlap(1);
	before = displaced();
	visit_many_in("outer");
	cr_assert_eq(displaced(), before);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "outer", "inner 0")->visits, 2);
	cr_assert_eq(ROWS_GET(report, "outer", "inner 31")->visits, 2);
	cr_assert(ROWS_GET(report, "outer")->exclusive_valid);
	selfmon_report_free(report);
}

Test(host_places, one_that_goes_on_without_a_place_stays_where_it_was)
{
	struct selfmon_frame first, second, third;
	struct selfmon_report *report;
	uint64_t before;

	SELFMON_REGION_OF(selfmon_region("one"))
	{
		SELFMON_REGION_OF(selfmon_region("two"))
		{
			visit_in("three", "four");
		}
	}
	overlap(1);
	before = displaced();
	selfmon_enter(selfmon_region("one"), &first);
	selfmon_enter(selfmon_region("two"), &second);
	selfmon_enter(selfmon_region("three"), &third);
	/*
	 * After the next leave, span three is directly below span one. The full
	 * tree has no room for a node there, so the span keeps its old node.
	 */
	selfmon_leave(&second);
	cr_assert_eq(displaced(), before + 1);
	selfmon_leave(&third);
	selfmon_leave(&first);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "one", "two", "three")->visits, 2);
	cr_assert_eq(ROWS_GET(report, "one", "two")->overlapped, 2);
	cr_assert_eq(ROWS_GET(report, "one", "two")->visits, 2);
	selfmon_report_free(report);
}

/*
 * Nothing contains an outermost visit, so it has no entry in the recorder. In a
 * full tree, visits of other places are recorded in the same node.
 */
Test(host_places, a_visit_without_a_place_is_a_part_of_a_slow_visit)
{
	struct selfmon_report *report;
	const struct selfmon_slow *slow;
	int i;

	record();
	for (i = 0; i < 20; i++)
		visit("inner", LONG_NS / 100);
	overlap(1);
	SELFMON_REGION("outer")
		for (i = 0; i < 20; i++)
			visit("inner", i < 19 ? 0 : LONG_NS);
	report = rows_take();
	slow = slowest(report, "outer");
	cr_expect_eq(slow->inner, 20);
	selfmon_report_free(report);
}

static void recurse(int depth)
{
	struct selfmon_frame frame;

	if (depth == 0)
		return;
	selfmon_enter(selfmon_region("inner"), &frame);
	recurse(depth - 1);
	selfmon_leave(&frame);
}

/*
 * All visits of the recursion are recorded in one node. The report begins an
 * interval, in which the region has a limit when the first of them ends. This
 * visit sets the limits of the node.
 */
Test(host_places, recursive_visits_without_a_place_are_parts_too)
{
	struct selfmon_report *report;

	record();
	visit("inner", 2 * LONG_NS);
	visit_in("other", "inner");
	overlap(1);
	selfmon_report_free(rows_take());
	for (int i = 0; i < 20; i++)
		SELFMON_REGION_OF(selfmon_region("other"))
			visit("inner", LONG_NS);
	SELFMON_REGION("outer")
		recurse(6);
	report = rows_take();
	cr_expect_eq(slowest(report, "outer")->inner, 6);
	selfmon_report_free(report);
}

Test(host_places, regions_at_the_top_are_made_in_a_full_thread_too)
{
	struct selfmon_report *report;
	uint64_t before;
	char text[16];
	int i;

	overlap(1);
	before = displaced();
	for (i = 0; i < 1000; i++) {
		snprintf(text, sizeof(text), "region %d", i);
		SELFMON_REGION_OF(selfmon_region(text))
		{
		}
	}
	cr_assert_eq(displaced(), before);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "region 0")->visits, 1);
	cr_assert_eq(ROWS_GET(report, "region 999")->visits, 1);
	selfmon_report_free(report);
}

static void *overlap_there(void *seed)
{
	overlap(*(const uint32_t *)seed);
	return (void *)(uintptr_t)places();
}

Test(host_places, a_thread_that_goes_on_with_a_full_tree_makes_none_either)
{
	uint32_t seed;
	void *made;

	for (seed = 1; seed <= 3; seed++) {
		pthread_t thread;

		cr_assert_eq(pthread_create(&thread, NULL, overlap_there,
					    &seed), 0);
		pthread_join(thread, &made);
		cr_assert_leq((uintptr_t)made, SELFMON_PLACES_MAX + NAMES);
	}
}

static void overlap_and_tell(void)
{
	overlap(1);
	outcome->visits = displaced();
}

Test(host_places, a_live_file_grows_no_further_and_tells_them_too)
{
	const uint64_t most = (uint64_t)(SELFMON_PLACES_MAX + NAMES) *
			      SELFMON_LIVE_ROUND(sizeof(struct selfmon_node));
	struct selfmon_report *report;
	struct stat file;

	cr_assert_eq(run(overlap_and_tell), 0);
	cr_assert_eq(stat(path, &file), 0);
	cr_assert_lt((uint64_t)file.st_size, most + most / 16);
	report = read_back(path);
	cr_assert_eq(visits_in(report), OPERATIONS);
	cr_assert_gt(outcome->visits, 0);
	check_reported(report, outcome->visits);
	selfmon_report_free(report);
}
