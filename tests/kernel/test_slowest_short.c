/* SPDX-License-Identifier: MIT */
/*
 * Tests which visits have entries in the recorder: none that are too short to
 * matter in the slow visits that may contain them, and all others.
 */
#define _GNU_SOURCE
#include <setjmp.h>

#include "kernel/fibers.h"
#include "kernel/listed.h"

static void setup(void)
{
	skip_if_clock_is_called();
	record();
}

TestSuite(slowest_short, .init = setup);

static void with_parts(uint64_t ns)
{
	int i;

	for (i = 0; ns && i < 3; i++)
		visit("part", ns);
}

/*
 * Makes one visit of "query", which contains n visits of "a", three visits of
 * "part" (none if part_ns is 0), work of ns, and a call of last(), if it is not
 * NULL. All these visits of "query" belong to the same node.
 */
static void query(uint64_t n, uint64_t part_ns, uint64_t ns, void (*last)(void))
{
	SELFMON_REGION("query") {
		visits("a", n);
		with_parts(part_ns);
		work_for(ns);
		if (last)
			last();
	}
}

/*
 * Fills the recorder, and visits more slow queries than are stored, so that
 * their limit is more than LONG_NS.
 */
static void slow_queries(void)
{
	size_t i;

	SELFMON_REGION("first")
		visits("a", RING);
	for (i = 0; i <= SELFMON_SLOW_VISITS; i++)
		query(1, LONG_NS / 10, LONG_NS, NULL);
	review();
}

/*
 * Nothing contains an outermost visit, so it has no entry in the recorder,
 * except if it is one of the slowest so far or ended on another CPU.
 */
Test(slowest_short, outermost_visits_take_no_room)
{
	struct selfmon_report *report;

	visits("a", 20 * RING);
	cr_expect_lt(entries(), 2 * RING);
	report = rows_take();
	cr_expect_eq(kept(report, "a", NULL), SELFMON_SLOW_VISITS);
	selfmon_report_free(report);
}

/* As in a program with a region around all its work. */
Test(slowest_short, inner_visits_do_not_displace_long_ones)
{
	const struct selfmon_slow *slow;
	struct selfmon_report *report;
	int i;

	SELFMON_REGION("work")
		for (i = 0; i < 10; i++) {
			visits("a", 3 * RING);
			visit("phase", LONG_NS);
		}
	cr_expect_lt(entries(), 3 * RING);
	report = rows_take();
	slow = slowest(report, "work");
	cr_expect_geq(parts_of(slow, "phase"), 9);
	cr_expect_eq(slow->listed_ns, 0);
	selfmon_report_free(report);
}

#define CHILDREN 400u

/* A review sets the limits of some nodes only. */
Test(slowest_short, visits_of_many_nodes_take_no_room)
{
	struct selfmon_region *region[CHILDREN];
	struct selfmon_frame frame;
	char name[16];
	uint64_t i;

	for (i = 0; i < CHILDREN; i++) {
		snprintf(name, sizeof(name), "child %u", (unsigned int)i);
		region[i] = selfmon_region(name);
	}
	SELFMON_REGION("work") {
		for (i = 0; i < 40 * RING; i++) {
			selfmon_enter(region[i % CHILDREN], &frame);
			/* The first ones are the slowest. */
			if (i < (SELFMON_SLOW_VISITS + 1) * CHILDREN)
				work_for(LONG_NS / 500);
			selfmon_leave(&frame);
		}
	}
	cr_expect_lt(entries(), 12 * RING);
}

/* After as many slow queries as are stored: their region has a limit then. */
Test(slowest_short, inner_visits_take_no_room)
{
	const struct selfmon_slow *slow;
	struct selfmon_report *report;
	uint64_t before;

	slow_queries();
	before = entries();
	query(RING, LONG_NS, LONG_NS, NULL);
	cr_expect_lt(entries() - before, RING / 4);
	report = rows_take();
	slow = slow_with(report, "query", "part", LONG_LEAST_NS);
	cr_expect_eq(parts_of(slow, "part"), 3);
	cr_expect_eq(slow->flags & SELFMON_SLOW_OVERWRITTEN, 0);
	cr_expect_eq(slow->listed_ns, 0);
	selfmon_report_free(report);
}

/*
 * "part" takes a thousandth of the last query, which takes longer than the limit
 * except on a very busy machine.
 */
Test(slowest_short, no_part_of_a_thousandth_is_missing)
{
	const uint64_t part_ns = 2 * LONG_NS / 1000 + 2 * LONG_NS / 25000;
	const struct selfmon_slow *first = NULL;
	struct selfmon_report *report;
	size_t i;

	slow_queries();
	query(0, part_ns, 2 * LONG_NS, NULL);
	report = rows_take();
	cr_assert_eq(kept(report, "query", &first), SELFMON_SLOW_VISITS);
	for (i = 0; i < SELFMON_SLOW_VISITS; i++)
		cr_expect(first[SELFMON_SLOW_VISITS - 1].ns > 2 * LONG_NS ||
			  parts_of(&first[i], "part") == 3);
	selfmon_report_free(report);
}

/*
 * While a visit is in progress, its parts are compared with the time that it
 * has lasted. Later visits may be shorter.
 */
Test(slowest_short, parts_of_later_visits_are_not_missing)
{
	const struct selfmon_slow *first = NULL;
	struct selfmon_report *report;
	size_t i;

	for (i = 0; i <= SELFMON_SLOW_VISITS; i++)
		visit("a", LONG_NS / 100); /* later ones are not slow */
	query(2 * RING, 0, 4 * LONG_NS, review);
	for (i = 1; i < 5; i++)
		query(5, 0, 0, NULL);
	report = rows_take();
	cr_assert_eq(kept(report, "query", &first), 5);
	for (i = 1; i < 5; i++) {
		cr_expect_eq(first[i].inner, 5);
		cr_expect_eq(first[i].listed_ns, 0);
	}
	selfmon_report_free(report);
}

#define JUMPED_NS (10 * LONG_NS)

static jmp_buf out;

static void jump(void)
{
	review();
	longjmp(out, 1);
}

static __attribute__((noinline)) void query_without_end(void)
{
	if (!setjmp(out))
		query(2 * RING, 0, JUMPED_NS, jump);
}

/*
 * A visit that was left without an end still counts as in progress until the
 * next visit of its node is stored. This visit says so.
 */
Test(slowest_short, parts_missing_after_a_jump_are_said)
{
	const struct selfmon_slow *first = NULL;
	struct selfmon_report *report;
	size_t i, said = 0;

	query_without_end();
	for (i = 0; i < 5; i++)
		query(5, 0, 0, NULL);
	report = rows_take();
	cr_assert_eq(kept(report, "query", &first), 5);
	for (i = 0; i < 5; i++) {
		said += first[i].listed_ns != 0;
		cr_expect(first[i].inner == 5 || first[i].listed_ns);
	}
	cr_expect(first->ns > JUMPED_NS || said == 1);
	cr_expect(first->listed_ns == 0 ||
		  rows_say(report, SELFMON_TEXT, "shorter"));
	selfmon_report_free(report);
}

static struct selfmon_report *earlier;

static void take_report(void)
{
	earlier = rows_take();
}

/*
 * A report begins an interval, in which shorter visits are among the slowest.
 * One that was in progress may lack parts.
 */
Test(slowest_short, parts_missing_at_the_start_of_an_interval_are_said)
{
	struct selfmon_report *later, *interval = NULL;
	const struct selfmon_slow *first = NULL;

	selfmon_report_free(rows_take()); /* later ones take less time */
	slow_queries();
	query(5, 0, 0, take_report);
	query(5, 0, 0, NULL);
	later = rows_take();
	cr_assert_eq(selfmon_report_subtract(later, earlier, &interval), 0);
	cr_assert_eq(kept(interval, "query", &first), 2);
	cr_expect_lt(first[0].inner, 5);
	cr_expect(first[0].listed_ns >= LONG_LEAST_NS / 1024 ||
		  first[0].ns >= LONG_LEAST_NS);
	cr_expect_eq(first[1].inner, 5);
	cr_expect_eq(first[1].listed_ns, 0);
	selfmon_report_free(interval);
	selfmon_report_free(later);
	selfmon_report_free(earlier);
}

/*
 * The limit of "query" is high, since it has had many visits. The limit of
 * "batch" around it is 0.
 */
Test(slowest_short, parts_of_an_outer_visit_are_not_missing)
{
	const struct selfmon_slow *first = NULL;
	struct selfmon_report *report;
	size_t i;

	for (i = 0; i < 3; i++)
		SELFMON_REGION("batch")
			if (i == 0) {
				slow_queries();
			} else {
				review();
				query(3, 0, 0, NULL);
			}
	report = rows_take();
	cr_assert_eq(kept(report, "batch", &first), 3);
	for (i = 1; i < 3; i++) {
		cr_expect_eq(first[i].inner, 4);
		cr_expect_eq(first[i].listed_ns, 0);
	}
	selfmon_report_free(report);
}

/* The report begins an interval before the next visit of the node has ended. */
Test(slowest_short, parts_missing_after_a_jump_and_a_report_are_said)
{
	struct selfmon_report *report;
	int i;

	for (i = 0; i <= (int)SELFMON_SLOW_VISITS; i++)
		visit("a", LONG_NS / 100); /* later ones are not slow */
	query_without_end();
	query(5, 0, 0, take_report);
	report = rows_take();
	cr_expect(slowest(report, "query")->inner == 5 ||
		  slowest(report, "query")->listed_ns != 0 ||
		  slowest(report, "query")->ns > JUMPED_NS);
	selfmon_report_free(report);
	selfmon_report_free(earlier);
}

static void deep(int depth)
{
	SELFMON_REGION("deep")
		if (depth) {
			visits("a", 2 * RING);
			work_for(4 * LONG_NS);
			review();
			deep(depth - 1);
		} else {
			visits("a", 3);
		}
}

/* The outer visit lasts longer than the inner one of the same region. */
Test(slowest_short, parts_of_an_inner_level_of_a_recursion_are_not_missing)
{
	const struct selfmon_slow *first = NULL;
	struct selfmon_report *report;

	deep(1);
	report = rows_take();
	cr_assert_eq(kept(report, "deep", &first), 2);
	cr_expect_eq(first[1].inner, 3);
	cr_expect_eq(first[1].listed_ns, 0);
	selfmon_report_free(report);
}

/* Frames may contain all visits of the thread, outermost ones too. */
Test(slowest_short, frames_have_limits_too)
{
	const struct selfmon_slow *first = NULL;
	struct selfmon_report *report;
	uint64_t before;
	size_t i;

	selfmon_frame_mark("turn");
	before = entries();
	visits("a", RING);
	cr_expect_eq(entries() - before, RING);
	for (i = 0; i <= SELFMON_SLOW_VISITS; i++) {
		work_for(LONG_NS);
		selfmon_frame_mark("turn");
	}
	review();
	before = entries();
	visits("a", RING);
	cr_expect_lt(entries() - before, RING / 4);
	/* Frames of a new name have no limit: all visits in them are listed. */
	selfmon_frame_mark("tick");
	for (i = 0; i < 5; i++) {
		visits("a", 10);
		selfmon_frame_mark("tick");
	}
	report = rows_take();
	cr_assert_eq(kept(report, "tick", &first), 5);
	for (i = 0; i < 5; i++)
		cr_expect_eq(first[i].inner, 10);
	selfmon_report_free(report);
}

/* The job with n = 0 is short. */
static void work(struct job *job)
{
	SELFMON_REGION("job") {
		if (job->n) {
			visits("a", 2 * RING);
			work_for(4 * LONG_NS);
			review();
			job_pause(job);
		} else {
			visits("a", 3);
		}
	}
}

/* Fibers of a thread may have visits of one node at a time. */
Test(slowest_short, a_visit_on_another_fiber_sets_no_limit)
{
	const struct selfmon_slow *first = NULL;
	struct selfmon_report *report;
	struct job longer, shorter;
	size_t i, inner = 0;

	job_make(&longer, "fiber", work);
	job_make(&shorter, "fiber", work);
	longer.n = 1;
	shorter.n = 0;
	job_run(&longer);
	job_run(&shorter);
	job_run(&longer);
	job_end(&longer);
	job_end(&shorter);
	report = rows_take();
	cr_assert_eq(kept(report, "job", &first), 2);
	for (i = 0; i < 2; i++)
		inner += first[i].inner == 3 && !first[i].listed_ns;
	cr_expect_eq(inner, 1);
	selfmon_report_free(report);
}
