/* SPDX-License-Identifier: MIT */
/*
 * Tests the slowest visits of each region (SELFMON_RECORD): the report has the
 * slowest of all threads. Other tests are in test_slowest_parts.c, _handlers.c,
 * _intervals.c, _processes.c and _step.c.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

#include "kernel/slow.h"
#include "store/self.h"

/* ---- which visits are recorded ------------------------------------------- */

Test(slowest, are_none_unless_requested)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	struct selfmon_report *report;

	options.events = "none";
	options.output = NULL;
	cr_assert_eq(selfmon_configure(&options), 0);
	visit("a", 0);
	report = rows_take();
	cr_expect_null(report->slow);
	cr_expect(rows_say(report, SELFMON_JSON, "\"slowest\": null"));
	selfmon_report_free(report);
}

Test(slowest, of_few_visits_are_all_of_them)
{
	const struct selfmon_slow *first = NULL;
	struct selfmon_report *report;
	uint64_t sum = 0;
	size_t i;

	record();
	for (i = 0; i < 5; i++)
		visit("a", 1000);
	report = rows_take();
	cr_assert_eq(kept(report, "a", &first), 5);
	for (i = 0; i < 5; i++) {
		sum += first[i].ns;
		if (i)
			cr_expect_leq(first[i].ns, first[i - 1].ns);
	}
	/* Each time is rounded down. */
	cr_expect_leq(sum, (uint64_t)ROWS_GET(report, "a")->time.sum + 5);
	cr_expect_geq(sum + 5, (uint64_t)ROWS_GET(report, "a")->time.sum);
	selfmon_report_free(report);
}

/* 8 of 2000 visits take LONG_NS, and these must be the slowest. */
Test(slowest, are_the_slowest)
{
	const struct selfmon_slow *first = NULL;
	struct selfmon_report *report;
	size_t i;

	record();
	for (i = 0; i < 2000; i++)
		visit("a", i % 250 == 100 ? LONG_NS : 0);
	report = rows_take();
	cr_assert_eq(kept(report, "a", &first), SELFMON_SLOW_VISITS);
	for (i = 0; i < SELFMON_SLOW_VISITS; i++)
		cr_expect_geq(first[i].ns, LONG_LEAST_NS);
	/* A row's longest visit excludes the overhead, and is rounded. */
	cr_expect_geq(first->ns + 1, ROWS_GET(report, "a")->max_ns);
	cr_expect_lt(first->ns, ROWS_GET(report, "a")->max_ns + 1000);
	selfmon_report_free(report);
}

/*
 * If times rise, each visit is the slowest so far. If times fall, no visit
 * after the first 8 is one of the slowest.
 */
Test(slowest, are_the_slowest_in_any_order)
{
	const struct selfmon_slow *first = NULL;
	struct selfmon_report *report;
	uint64_t i;

	record();
	for (i = 0; i < 40; i++) {
		visit("growing", i * 100000);
		visit("falling", (40 - i) * 100000);
	}
	report = rows_take();
	cr_assert_eq(kept(report, "growing", &first), SELFMON_SLOW_VISITS);
	for (i = 0; i < SELFMON_SLOW_VISITS; i++)
		cr_expect_geq(first[i].ns, 31 * 100000);
	cr_assert_eq(kept(report, "falling", &first), SELFMON_SLOW_VISITS);
	for (i = 0; i < SELFMON_SLOW_VISITS; i++)
		cr_expect_geq(first[i].ns, 32 * 100000);
	selfmon_report_free(report);
}

/* With `move`, the visit ends on another CPU, as far as the library knows. */
static void visit_and_move(uint64_t ns, bool move)
{
	SELFMON_REGION("moved") {
		work_for(ns);
		if (move)
			selfmon_thread_self()->top->cpu++;
	}
}

/*
 * The visit that moved takes the slow path although it is short. The last visit
 * is above the limit, but not the longest.
 */
Test(slowest, are_the_slowest_after_one_that_moved)
{
	const struct selfmon_slow *first = NULL;
	struct selfmon_report *report;
	int i;

	record();
	SELFMON_REGION("outer") {
		visit_and_move(4 * LONG_NS, false);
		for (i = 0; i < (int)SELFMON_SLOW_VISITS; i++)
			visit_and_move(LONG_NS / 4, false);
		visit_and_move(0, true);
		visit_and_move(2 * LONG_NS, false);
	}
	report = rows_take();
	cr_assert_eq(kept(report, "moved", &first), SELFMON_SLOW_VISITS);
	cr_expect_geq(first[1].ns, 2 * LONG_LEAST_NS);
	selfmon_report_free(report);
}

/* The report has one list for both. */
Test(slowest, of_two_regions_with_the_same_name_are_sorted)
{
	const struct selfmon_slow *first = NULL;
	struct selfmon_report *report;
	size_t i;

	record();
	SELFMON_REGION("same")
		;
	for (i = 0; i < 3; i++)
		SELFMON_REGION("same")
			work_for(LONG_NS);
	report = rows_take();
	cr_assert_eq(kept(report, "same", &first), 4);
	for (i = 0; i < 3; i++)
		cr_expect_geq(first[i].ns, LONG_LEAST_NS);
	selfmon_report_free(report);
}

static void *visit_in_thread(void *name)
{
	int i;

	for (i = 0; i < 300; i++)
		visit(name, i % 100 == 50 ? LONG_NS : 0);
	return NULL;
}

Test(slowest, are_those_of_all_threads)
{
	const struct selfmon_slow *first = NULL;
	struct selfmon_report *report;
	uint32_t tid[2] = { 0, 0 };
	pthread_t thread[4];
	char name[] = "a";
	size_t i;

	record();
	for (i = 0; i < 4; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL, visit_in_thread,
					    name), 0);
	for (i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	report = rows_take();
	cr_assert_eq(kept(report, "a", &first), SELFMON_SLOW_VISITS);
	for (i = 0; i < SELFMON_SLOW_VISITS; i++) {
		cr_expect_geq(first[i].ns, LONG_LEAST_NS);
		cr_expect(first[i].tid != (uint32_t)getpid());
		tid[first[i].tid != first->tid] = first[i].tid;
	}
	cr_expect(tid[1] != 0, "12 visits of 4 threads, 8 kept: of one thread");
	selfmon_report_free(report);
}

/* ---- refusals ------------------------------------------------------------ */

Test(slowest, are_not_kept_if_one_visit_in_n_is_measured)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	struct selfmon_report *report;

	options.events = "none";
	options.output = NULL;
	options.record = "slowest";
	options.every = 10;
	cr_assert_eq(selfmon_configure(&options), 0);
	visit("a", 0);
	report = rows_take();
	cr_expect_null(report->slow);
	cr_expect(rows_say(report, SELFMON_TEXT, "SELFMON_RECORD is ignored"));
	selfmon_report_free(report);
}

Test(slowest, with_an_unknown_word_say_what_is_allowed)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	struct selfmon_report *report;

	options.events = "none";
	options.output = NULL;
	options.record = "fastest";
	cr_assert_eq(selfmon_configure(&options), 0);
	visit("a", 0);
	report = rows_take();
	cr_expect(rows_say(report, SELFMON_TEXT,
			   "SELFMON_RECORD=fastest: none and slowest are "
			   "allowed"));
	selfmon_report_free(report);
}
