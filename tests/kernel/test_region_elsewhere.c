/* SPDX-License-Identifier: MIT */
/* Visits that another thread leaves than the one which entered them. */
#include <pthread.h>
#include <sched.h>

#include "region/process.h"
#include "region/state.h"
#include "rows.h"

#define ROUNDS 10000
#define SPANS 32

static void *leave_here(void *frame)
{
	selfmon_leave(frame);
	return NULL;
}

static void *leave_elsewhere(void *handle)
{
	struct selfmon_frame frame;
	pthread_t other;

	selfmon_enter(handle, &frame);
	cr_assert_eq(pthread_create(&other, NULL, leave_here, &frame), 0);
	pthread_join(other, NULL);
	return NULL;
}

static void leave_elsewhere_on_a_thread_that_ends(void)
{
	pthread_t thread;

	cr_assert_eq(pthread_create(&thread, NULL, leave_elsewhere,
				    selfmon_region("passed on")), 0);
	pthread_join(thread, NULL);
}

Test(region_elsewhere, a_span_left_elsewhere_is_not_cut_off_by_its_threads_end)
{
	struct selfmon_report *report;

	leave_elsewhere_on_a_thread_that_ends();
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "passed on")->visits, 1);
	cr_assert_eq(ROWS_GET(report, "passed on")->cut_off, 0);
	selfmon_report_free(report);
}

Test(region_elsewhere, one_in_n_counts_the_spans_left_elsewhere_too)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	struct selfmon_report *report;
	int i;

	options.every = 4;
	cr_assert_eq(selfmon_configure(&options), 0);
	for (i = 0; i < 8; i++)
		leave_elsewhere_on_a_thread_that_ends();
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "passed on")->visits, 8);
	selfmon_report_free(report);
}

Test(region_elsewhere, one_left_where_regions_are_off_by_then_is_told)
{
	struct selfmon_frame frame;
	pthread_t other;

	selfmon_enter(selfmon_region("passed on"), &frame);
	selfmon_enable(false);
	cr_assert_eq(pthread_create(&other, NULL, leave_here, &frame), 0);
	pthread_join(other, NULL);
	cr_assert_eq(selfmon_thread_unready(), 1);
}

/* Spans that go on when the call which began them has returned. */
static struct selfmon_frame handed[SPANS];
static int left; /* SPANS: they are the owner's */

static void *leave_all(void *unused)
{
	int round, i;

	(void)unused;
	for (round = 0; round < ROUNDS; round++) {
		while (__atomic_load_n(&left, __ATOMIC_ACQUIRE) == SPANS)
			sched_yield();
		for (i = 0; i < SPANS; i++)
			selfmon_leave(&handed[i]);
		__atomic_store_n(&left, SPANS, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* The pause puts the end of the region anywhere among those of the spans. */
static void submit(struct selfmon_region *io, int round)
{
	SELFMON_REGION("submit")
	{
		volatile int pause = round & 1023;
		int i;

		for (i = 0; i < SPANS; i++)
			selfmon_enter(io, &handed[i]);
		__atomic_store_n(&left, 0, __ATOMIC_RELEASE);
		while (pause > 0)
			pause--;
	}
	while (__atomic_load_n(&left, __ATOMIC_ACQUIRE) != SPANS)
		sched_yield();
}

static uint64_t visits_of(const struct selfmon_report *report, const char *name)
{
	uint64_t visits = 0;
	size_t i;

	for (i = 0; i < selfmon_report_rows(report); i++) {
		const struct selfmon_row *row = selfmon_report_row(report, i);

		if (strcmp(row->name, name) == 0) {
			visits += row->visits;
			cr_assert_eq(row->open, 0, "%s is open", name);
			cr_assert_eq(row->cut_off, 0, "%s was cut off", name);
		}
	}
	return visits;
}

Test(region_elsewhere, spans_are_left_while_the_region_around_them_ends,
     .timeout = 300)
{
	struct selfmon_region *const io = selfmon_region("io");
	struct selfmon_report *report;
	pthread_t thread;
	int round;

	left = SPANS;
	cr_assert_eq(pthread_create(&thread, NULL, leave_all, NULL), 0);
	for (round = 0; round < ROUNDS; round++)
		submit(io, round);
	pthread_join(thread, NULL);
	report = rows_take();
	rows_check(report);
	cr_assert_eq(visits_of(report, "submit"), ROUNDS);
	cr_assert_eq(visits_of(report, "io"), ROUNDS * SPANS);
	cr_assert_eq(ROWS_GET(report, "io")->foreign, ROUNDS * SPANS);
	selfmon_report_free(report);
}

/* Told without a word that orders anything else: the library's own must do. */
static int may_leave, has_left;

static void *leave_when_told(void *frame)
{
	while (!selfmon_load_once(&may_leave))
		sched_yield();
	selfmon_leave(frame);
	selfmon_store_once(&has_left, 1);
	return NULL;
}

/* More than are laid out at first. */
static void go_deeper(void)
{
	struct selfmon_frame frame[SELFMON_DEPTH_STEP];
	size_t i;

	for (i = 0; i < SELFMON_DEPTH_STEP; i++)
		selfmon_enter(selfmon_region("deeper"), &frame[i]);
	selfmon_store_once(&may_leave, 1);
	while (!selfmon_load_once(&has_left))
		sched_yield();
	while (i-- > 0)
		selfmon_leave(&frame[i]);
}

Test(region_elsewhere, a_moved_span_is_left_while_its_owner_goes_deeper)
{
	struct selfmon_region *const region = selfmon_region("first");
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	struct selfmon_frame first, moved;
	struct selfmon_report *report;
	pthread_t thread;

	options.events = "task-clock";
	cr_assert_eq(selfmon_configure(&options), 0);
	selfmon_enter(region, &first);
	selfmon_enter(selfmon_region("moved"), &moved);
	selfmon_leave(&first);
	cr_assert_eq(pthread_create(&thread, NULL, leave_when_told, &moved), 0);
	go_deeper();
	selfmon_enter(region, &first); /* in its place */
	selfmon_leave(&first);
	pthread_join(thread, NULL);
	report = rows_take();
	rows_check(report);
	cr_assert_eq(ROWS_GET(report, "moved")->foreign, 1);
	cr_assert_eq(ROWS_GET(report, "first")->visits, 2);
	selfmon_report_free(report);
}
