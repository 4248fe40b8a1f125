/* SPDX-License-Identifier: MIT */
/* Tests regions of many threads, with reports taken while they run. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "form.h"
#include "session/thread.h"
#include "store/process.h"
#include "rows.h"
#include "store/self.h"
#include "store/state.h"
#include "store/statistics.h"
#include "torn.h"

#define THREADS 64

/* Sanitizers are ten times slower, so `make tsan` sets fewer visits. */
#ifndef THREAD_VISITS
#define THREAD_VISITS 1000000
#endif

static int visits_each(void)
{
	return by_form(THREAD_VISITS / 10, THREAD_VISITS, THREAD_VISITS);
}

static void visit_nested(void)
{
	SELFMON_REGION("outer")
	{
		SELFMON_REGION("inner")
		{
		}
	}
}

static void *visit_often(void *running)
{
	const int visits = visits_each();
	int i;

	for (i = 0; i < visits; i++)
		visit_nested();
	__atomic_sub_fetch((int *)running, 1, __ATOMIC_RELAXED);
	return NULL;
}

static uint64_t visits_of(const struct selfmon_report *report, const char *a,
			  const char *b)
{
	const char *const path[] = { a, b };
	const struct selfmon_row *row =
		selfmon_report_find(report, path, b ? 2 : 1);

	return row ? row->visits : 0;
}

Test(region_threads, reports_taken_meanwhile_are_consistent, .timeout = 300)
{
	const uint64_t visits = (uint64_t)THREADS * (uint64_t)visits_each();
	pthread_t thread[THREADS];
	uint64_t outer = 0, inner = 0, reports = 0;
	int running = THREADS, i;
	const struct selfmon_row *row;
	struct selfmon_report *report;

	for (i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL, visit_often,
					    &running), 0);
	while (__atomic_load_n(&running, __ATOMIC_RELAXED) > 0) {
		report = rows_take();
		rows_check(report);
		cr_assert_geq(visits_of(report, "outer", NULL), outer);
		cr_assert_geq(visits_of(report, "outer", "inner"), inner);
		outer = visits_of(report, "outer", NULL);
		inner = visits_of(report, "outer", "inner");
		selfmon_report_free(report);
		reports++;
		usleep(100000);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	report = rows_take();
	rows_check(report);
	row = ROWS_GET(report, "outer");
	cr_assert_eq(row->visits, visits);
	cr_assert_eq(visits_of(report, "outer", "inner"), visits);
	cr_assert_eq((uint64_t)row->time.exclusive +
			     ROWS_GET(report, "outer", "inner")->time.sum,
		     row->time.sum);
	cr_assert(row->exclusive_valid);
	cr_log_info("%lu reports", (unsigned long)reports);
	selfmon_report_free(report);
}

static void *visit_once(void *unused)
{
	(void)unused;
	visit_nested();
	return NULL;
}

#define WALK_DEPTH 13

/* Walks each of the 2^depth paths of this length. All are new. */
static void walk_new_paths(int depth)
{
	if (!depth)
		return;
	SELFMON_REGION("left")
	{
		walk_new_paths(depth - 1);
	}
	SELFMON_REGION("right")
	{
		walk_new_paths(depth - 1);
	}
}

static void *walk_once(void *running)
{
	walk_new_paths(WALK_DEPTH);
	__atomic_store_n((int *)running, 0, __ATOMIC_RELAXED);
	return NULL;
}

/*
 * The thread makes nodes while a report is taken. The report counts open visits
 * only at nodes that it has read.
 */
Test(region_threads, reports_taken_while_places_are_made_are_consistent,
     .timeout = 300)
{
	struct selfmon_report *report;
	pthread_t thread;
	int running = 1;

	cr_assert_eq(pthread_create(&thread, NULL, walk_once, &running), 0);
	while (__atomic_load_n(&running, __ATOMIC_RELAXED)) {
		report = rows_take();
		rows_check(report);
		selfmon_report_free(report);
	}
	pthread_join(thread, NULL);
	report = rows_take();
	rows_check(report);
	cr_assert_eq(visits_of(report, "left", "right"), 1);
	selfmon_report_free(report);
}

static size_t count_states(void)
{
	const struct selfmon_thread *state = selfmon_process()->threads;
	size_t count = 0;

	for (; state; state = state->next)
		count++;
	return count;
}

Test(region_threads, a_thread_goes_on_with_the_state_of_one_that_ended)
{
	struct selfmon_report *report;
	pthread_t thread;
	int i;

	for (i = 0; i < 1000; i++) {
		cr_assert_eq(pthread_create(&thread, NULL, visit_once, NULL),
			     0);
		pthread_join(thread, NULL);
	}
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "outer", "inner")->visits, 1000);
	cr_assert_eq(selfmon_process()->attached, 1000 + 1); /* and this one */
	cr_assert_leq(selfmon_process()->alive_max, 2);
	cr_assert_leq(count_states(), 2);
	selfmon_report_free(report);
}

static pthread_key_t late_key;

static void visit_late(void *unused)
{
	(void)unused;
	visit_nested();
}

static void *end_late(void *unused)
{
	/*
	 * This key was made after the library's key, so its destructor runs
	 * later.
	 */
	visit_nested();
	pthread_setspecific(late_key, &late_key);
	return unused;
}

Test(region_threads, regions_in_destructors_of_a_thread_are_measured)
{
	struct selfmon_report *report;
	pthread_t thread;

	visit_nested();
	cr_assert_eq(pthread_key_create(&late_key, visit_late), 0);
	cr_assert_eq(pthread_create(&thread, NULL, end_late, NULL), 0);
	pthread_join(thread, NULL);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "outer")->visits, 3);
	cr_assert_eq(selfmon_process()->alive, 1);
	selfmon_report_free(report);
}

/* A thread that stops in the middle of an update. */
static struct selfmon_thread *stuck;

static void *stand_still(void *go_on)
{
	struct selfmon_stats *stats;

	visit_nested();
	stats = selfmon_thread_attach()->newest->stats;
	selfmon_stats_begin(stats);
	__atomic_store_n(&stuck, selfmon_thread_attach(), __ATOMIC_RELEASE);
	while (!__atomic_load_n((int *)go_on, __ATOMIC_ACQUIRE))
		usleep(1000);
	torn_finish(stats);
	return NULL;
}

Test(region_threads, a_writer_that_stands_still_does_not_hold_up_a_report)
{
	struct selfmon_report *report;
	pthread_t thread;
	int go_on = 0;

	cr_assert_eq(pthread_create(&thread, NULL, stand_still, &go_on), 0);
	while (!__atomic_load_n(&stuck, __ATOMIC_ACQUIRE))
		usleep(1000);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "outer")->visits, 1);
	/* The visit whose update stopped is counted, too. */
	cr_assert_eq(ROWS_GET(report, "outer", "inner")->visits, 2);
	cr_assert_eq(ROWS_GET(report, "outer", "inner")->repaired, 1);
	selfmon_report_free(report);
	__atomic_store_n(&go_on, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "outer", "inner")->visits, 2);
	cr_assert_eq(ROWS_GET(report, "outer", "inner")->repaired, 0);
	selfmon_report_free(report);
}

static void *answer(void *go_on)
{
	visit_nested();
	__atomic_store_n(&stuck, selfmon_thread_attach(), __ATOMIC_RELEASE);
	while (!__atomic_load_n((int *)go_on, __ATOMIC_ACQUIRE))
		visit_nested();
	return NULL;
}

Test(region_threads, a_writer_that_is_asked_makes_the_copy_itself)
{
	struct selfmon_thread *writer;
	pthread_t thread;
	int go_on = 0;

	cr_assert_eq(pthread_create(&thread, NULL, answer, &go_on), 0);
	while (!(writer = __atomic_load_n(&stuck, __ATOMIC_ACQUIRE)))
		usleep(1000);
	selfmon_store_once(&writer->wanted, writer->newest);
	while (__atomic_load_n(&writer->wanted, __ATOMIC_ACQUIRE)) {
		selfmon_thread_request(writer);
		usleep(1000);
	}
	cr_assert_gt(selfmon_stats_visits(writer->copy), 0);
	cr_assert_geq(writer->copy->ticks.sum,
		      selfmon_stats_visits(writer->copy) *
			      writer->copy->ticks.min);
	__atomic_store_n(&go_on, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
}

static int survived;

static void *visit_cancelled(void *unused)
{
	(void)unused;
	pthread_cancel(pthread_self());
	visit_nested();
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	return &survived;
}

Test(region_threads, a_first_visit_is_no_cancellation_point, .timeout = 20)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	void *result = NULL;
	pthread_t thread;

	options.events = "page-faults,task-clock";
	cr_assert_eq(selfmon_configure(&options), 0);
	cr_assert_eq(pthread_create(&thread, NULL, visit_cancelled, NULL), 0);
	pthread_join(thread, &result);
	visit_nested();
	cr_assert_eq(result, (void *)&survived);
}
