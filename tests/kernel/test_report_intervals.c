/* SPDX-License-Identifier: MIT */
/*
 * Tests reports of intervals, for a process and its threads, and for a live
 * file.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "form.h"
#include "rows.h"

#define THREADS 3
#define INTERVALS 20

static void setup(void)
{
	setenv("SELFMON_EVENTS", "none", 1);
	setenv("SELFMON_OUTPUT", "none", 1);
}

TestSuite(report_intervals, .init = setup);

static void work(const char *name, int visits)
{
	int i;

	for (i = 0; i < visits; i++)
		SELFMON_REGION_OF(selfmon_region(name))
			sched_yield();
}

static struct selfmon_report *since(const struct selfmon_report *later,
				    const struct selfmon_report *earlier)
{
	struct selfmon_report *interval = NULL;

	cr_assert_eq(selfmon_report_subtract(later, earlier, &interval), 0);
	return interval;
}

static uint64_t in_histogram(const struct selfmon_report *report,
			     const struct selfmon_row *row)
{
	const size_t at = (size_t)(row - selfmon_report_row(report, 0));
	struct selfmon_bucket bucket[SELFMON_BUCKETS_MAX];
	uint64_t visits = 0;
	int i;

	for (i = selfmon_row_histogram(report, at, bucket,
				       SELFMON_BUCKETS_MAX); i > 0; i--)
		visits += bucket[i - 1].visits;
	return visits;
}

Test(report_intervals, have_what_was_done_in_them)
{
	struct selfmon_report *first, *second, *interval;
	const struct selfmon_row *row;

	work("both", 1000);
	work("first", 5);
	first = rows_take();
	work("both", 30);
	work("second", 7);
	second = rows_take();
	interval = since(second, first);
	rows_check(interval);
	row = ROWS_GET(interval, "both");
	cr_assert_eq(row->visits, 30);
	cr_assert_eq(in_histogram(interval, row), 30);
	/* Each time is rounded down to a ns. */
	cr_assert_leq(ROWS_GET(second, "both")->time.sum -
			      ROWS_GET(first, "both")->time.sum -
			      row->time.sum + 1, 2);
	cr_assert_eq(ROWS_GET(interval, "second")->visits, 7);
	cr_assert_null(ROWS_FIND(interval, "first"));
	cr_assert_eq(ROWS_GET(first, "both")->visits, 1000);
	selfmon_report_free(first);
	selfmon_report_free(second);
	cr_assert(rows_say(interval, SELFMON_TEXT, "both"));
	selfmon_report_free(interval);
}

/*
 * The inner span is still open when the outer span ends, and moves up to the
 * outer span's level of the tree. So the later report has no row of "inner"
 * below "outer", unlike the earlier report.
 */
Test(report_intervals, may_lack_a_row_whose_open_visit_moved)
{
	struct selfmon_report *first, *second, *interval;
	struct selfmon_frame outer, inner;

	selfmon_enter(selfmon_region("outer"), &outer);
	selfmon_enter(selfmon_region("inner"), &inner);
	first = rows_take();
	cr_assert_eq(ROWS_GET(first, "outer", "inner")->open, 1);
	selfmon_leave(&outer);
	second = rows_take();
	cr_assert_null(ROWS_FIND(second, "outer", "inner"));
	interval = since(second, first);
	cr_assert_eq(ROWS_GET(interval, "outer")->visits, 1);
	cr_assert_eq(ROWS_GET(interval, "inner")->open, 1);
	cr_assert_null(ROWS_FIND(interval, "outer", "inner"));
	selfmon_report_free(interval);
	selfmon_report_free(second);
	selfmon_report_free(first);
	selfmon_leave(&inner);
}

static bool stop;

static void *visit_all_the_time(void *unused)
{
	(void)unused;
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		SELFMON_REGION("outer")
			work("inner", 3);
	}
	return NULL;
}

Test(report_intervals, add_up_while_threads_run, .timeout = 600)
{
	const int count = by_form(INTERVALS, INTERVALS, 200);
	struct selfmon_report *last, *now, *interval;
	uint64_t visits = 0, sum = 0, buckets = 0;
	pthread_t thread[THREADS];
	int i;

	for (i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL,
					    visit_all_the_time, NULL), 0);
	do {
		sched_yield();
		last = rows_take();
		if (ROWS_FIND(last, "outer", "inner"))
			break;
		selfmon_report_free(last);
	} while (true);
	visits = ROWS_GET(last, "outer", "inner")->visits;
	sum = ROWS_GET(last, "outer", "inner")->time.sum;
	buckets = in_histogram(last, ROWS_GET(last, "outer", "inner"));
	for (i = 0; i < count; i++) {
		const struct selfmon_row *row;

		__atomic_store_n(&stop, i == count - 1, __ATOMIC_RELAXED);
		now = rows_take();
		interval = since(now, last);
		row = ROWS_FIND(interval, "outer", "inner");
		visits += row ? row->visits : 0;
		sum += row ? row->time.sum : 0;
		buckets += row ? in_histogram(interval, row) : 0;
		selfmon_report_free(interval);
		selfmon_report_free(last);
		last = now;
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	cr_assert_eq(visits, ROWS_GET(last, "outer", "inner")->visits);
	cr_assert_eq(buckets, visits);
	cr_assert(sum <= ROWS_GET(last, "outer", "inner")->time.sum &&
		  sum + (uint64_t)count + 1 >=
			  ROWS_GET(last, "outer", "inner")->time.sum);
	selfmon_report_free(last);
}

Test(report_intervals, have_all_visits_where_one_in_n_is_measured)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	struct selfmon_report *first, *second, *interval;
	const struct selfmon_row *row;

	options.every = 10;
	cr_assert_eq(selfmon_configure(&options), 0);
	work("sampled", 1000);
	first = rows_take();
	work("sampled", 500);
	second = rows_take();
	interval = since(second, first);
	row = ROWS_GET(interval, "sampled");
	cr_assert_eq(row->visits, 500);
	cr_assert(row->measured >= 49 && row->measured <= 51, "%ju",
		  (uintmax_t)row->measured);
	cr_assert_gt(row->time.net, (double)row->time.min * 500 * 0.5);
	selfmon_report_free(first);
	selfmon_report_free(second);
	selfmon_report_free(interval);
}

Test(report_intervals, are_of_one_process)
{
	struct selfmon_report *const report = rows_take();
	struct selfmon_report *own, *interval = report;
	int status;

	work("before", 3);
	if (fork() == 0) {
		work("in the child", 3);
		own = rows_take();
		_exit(selfmon_report_subtract(own, report, &interval) !=
			      -EINVAL || interval);
	}
	wait(&status);
	cr_assert_eq(status, 0);
	selfmon_report_free(report);
}

static char path[64];

/*
 * Visits a region with a live file. Then waits until the parent writes a byte,
 * and makes more visits. Exits with 1 if the parent has ended.
 */
static void keep_live_file(const int *from, const int *to)
{
	char go;

	close(from[1]);
	close(to[0]);
	setenv("SELFMON_LIVE", path, 1);
	work("lives", 100);
	if (write(to[1], "", 1) != 1 || read(from[0], &go, 1) != 1)
		_exit(1);
	work("lives", 20);
	work("comes later", 3);
	_exit(0);
}

static struct selfmon_report *open_live(void)
{
	struct selfmon_report *report = NULL;

	cr_assert_eq(selfmon_report_open(path, &report, NULL), 0);
	return report;
}

/* The interval keeps the names after both reports of the file are freed. */
Test(report_intervals, are_of_a_live_file_as_well)
{
	struct selfmon_report *first, *second, *interval, *own;
	int go[2], done[2], status;
	char byte;

	snprintf(path, sizeof(path), "/dev/shm/selfmon-interval-%d", getpid());
	cr_assert(!pipe(go) && !pipe(done));
	if (fork() == 0)
		keep_live_file(go, done);
	close(go[0]);
	close(done[1]);
	cr_assert_eq(read(done[0], &byte, 1), 1);
	first = open_live();
	cr_assert_eq(write(go[1], "", 1), 1);
	wait(&status);
	cr_assert_eq(status, 0);
	second = open_live();
	unlink(path);
	own = rows_take();
	cr_assert_eq(selfmon_report_subtract(second, own, &interval), -EINVAL);
	interval = since(second, first);
	selfmon_report_free(first);
	selfmon_report_free(second);
	selfmon_report_free(own);
	rows_check(interval);
	cr_assert_eq(ROWS_GET(interval, "lives")->visits, 20);
	cr_assert_eq(ROWS_GET(interval, "comes later")->visits, 3);
	selfmon_report_free(interval);
}
