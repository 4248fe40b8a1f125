/* SPDX-License-Identifier: MIT */
/*
 * Tests visits of 2^32 ticks and more, which have histogram buckets of their
 * own. A test does not wait until a visit is long, but moves the start of the
 * visit into the past.
 */
#define _GNU_SOURCE
#include <unistd.h>

#include "kernel/lives.h"
#include "report/model.h"
#include "store/self.h"
#include "store/state.h"

#define LONG (UINT64_C(1) << 33)
#define LONGER (UINT64_C(1) << 34)
/* More visits than the library keeps as the slowest of a region. */
#define VISITS 20

static void configure(const char *events, const char *record, const char *trace)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = events;
	options.output = NULL;
	options.record = record;
	options.trace = trace;
	cr_assert_eq(selfmon_configure(&options), 0);
}

static void visit(uint64_t ticks, uint64_t items)
{
	struct selfmon_frame frame;

	selfmon_enter(selfmon_region("visit"), &frame);
	if (items)
		selfmon_region_items(items);
	selfmon_thread_self()->top->start.ticks -= ticks;
	selfmon_leave(&frame);
}

/*
 * Visits of LONGER ticks come first, so a visit of LONG ticks is never the
 * longest so far.
 */
static void visits(uint64_t items)
{
	int i;

	for (i = 0; i < VISITS; i++) {
		visit(i < VISITS / 2 ? LONGER : LONG, items);
		visit(0, items);
	}
}

static uint64_t at_least(const struct selfmon_report *report, uint64_t ticks)
{
	const double ns = (double)ticks * 1e9 / (double)report->clock_hz;
	struct selfmon_bucket bucket[SELFMON_BUCKETS_MAX];
	uint64_t n = 0;
	int i;

	for (i = selfmon_row_histogram(report, 0, bucket, SELFMON_BUCKETS_MAX);
	     i-- > 0;)
		if (bucket[i].high_ns > ns * 1.001)
			n += bucket[i].visits;
	return n;
}

/* Expects the visits that `times` calls of visits() make. */
static void check(const struct selfmon_report *report, uint64_t times)
{
	cr_assert_eq(selfmon_report_row(report, 0)->measured,
		     2 * VISITS * times);
	cr_assert_eq(at_least(report, 0), 2 * VISITS * times);
	cr_assert_eq(at_least(report, LONG), VISITS * times);
	cr_assert_eq(at_least(report, LONG / 2 * 3), VISITS / 2 * times);
	cr_assert_eq(at_least(report, LONGER), VISITS / 2 * times);
	cr_assert_eq(at_least(report, LONGER / 2 * 3), 0);
}

static void check_visits(uint64_t items)
{
	struct selfmon_report *report;

	visits(items);
	report = rows_take();
	check(report, 1);
	selfmon_report_free(report);
}

Test(region_long, visits_are_in_their_buckets)
{
	configure("none", NULL, NULL);
	check_visits(0);
}

Test(region_long, visits_with_units_are)
{
	configure("none", NULL, NULL);
	check_visits(3);
}

Test(region_long, visits_with_counters_are)
{
	configure("task-clock,page-faults", NULL, NULL);
	check_visits(0);
}

Test(region_long, visits_that_are_recorded_are)
{
	configure("none", "slowest", NULL);
	check_visits(0);
}

Test(region_long, visits_that_are_traced_are, .init = setup, .fini = teardown)
{
	configure("none", NULL, path);
	check_visits(0);
}

Test(region_long, detached_spans_are)
{
	struct selfmon_async_span span;
	struct selfmon_report *report;
	const struct selfmon_report *spans;
	int i;

	configure("none", NULL, NULL);
	for (i = 0; i < 2 * VISITS; i++) {
		selfmon_async_begin(selfmon_region("span"), &span);
		if (i % 2)
			span.start -= i < VISITS ? LONGER : LONG;
		selfmon_async_end(&span);
	}
	report = rows_take();
	spans = selfmon_report_async(report);
	check(spans, 1);
	selfmon_report_free(report);
}

Test(region_long, visits_of_an_interval_are)
{
	struct selfmon_report *first, *second, *interval;

	configure("none", NULL, NULL);
	visits(0);
	first = rows_take();
	visits(0);
	visits(0);
	second = rows_take();
	cr_assert_eq(selfmon_report_subtract(second, first, &interval), 0);
	check(second, 3);
	check(interval, 2);
	cr_assert_geq((double)selfmon_report_row(interval, 0)->max_ns,
		      (double)LONGER * 0.99e9 / (double)interval->clock_hz);
	selfmon_report_free(interval);
	selfmon_report_free(second);
	selfmon_report_free(first);
}

static void leave_visits(void)
{
	visits(0);
}

Test(region_long, visits_in_a_live_file_are, .init = setup, .fini = teardown)
{
	struct selfmon_report *report;

	cr_assert_eq(run(leave_visits), 0);
	report = read_back(path);
	check(report, 1);
	selfmon_report_free(report);
}
