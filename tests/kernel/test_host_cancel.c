/* SPDX-License-Identifier: MIT */
/* Threads that are cancelled, at any instruction, and regions. */
#include <pthread.h>
#include <unistd.h>

#include "long.h"
#include "region/process.h"
#include "rows.h"
#include "sanitizer.h"

#define NAMES 64
/* AddressSanitizer calls sigaltstack there, at a thread's end. */
#define CANCELLED_STACK "it takes the frames of a cancelled thread for alive"

/* Visits that were begun, for certain; each thread may have begun one more. */
static volatile uint64_t bodies;

struct victim {
	bool in_lock; /* cancelled as soon as it holds the lock */
	bool late;    /* after the first visits, which make its state */
	int started;
};

static void visit_out_of_order(struct selfmon_region *region)
{
	struct selfmon_frame first, second;

	selfmon_enter(region, &first);
	bodies++;
	selfmon_enter(region, &second);
	bodies++;
	selfmon_leave(&first);
	selfmon_leave(&second);
}

/* Visits of paths new and old, as fast as can be, until cancelled. */
static void *visit_for_ever(void *argument)
{
	struct victim *const victim = argument;
	static struct selfmon_region *volatile handle[NAMES];
	unsigned int i;
	char name[16];

	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	for (i = 0;; i++) {
		if (i >= (victim->late ? 2 : 0))
			__atomic_store_n(&victim->started, 1, __ATOMIC_RELEASE);
		if (!handle[i % NAMES]) {
			name[0] = (char)('0' + i % NAMES);
			name[1] = '\0';
			handle[i % NAMES] = selfmon_region(name);
		}
		SELFMON_REGION("outer")
		{
			bodies++;
			SELFMON_REGION_OF(handle[i % NAMES])
			{
				bodies++;
			}
			visit_out_of_order(handle[i % NAMES]);
		}
	}
	return NULL;
}

/* Until another thread holds the library's lock, or for a while. */
static void wait_for_lock(unsigned int tries)
{
	pthread_mutex_t *const lock = &selfmon_process()->lock;

	while (tries-- > 0 && pthread_mutex_trylock(lock) == 0)
		pthread_mutex_unlock(lock);
}

/* After so many turns; or as soon as it holds the lock, if it comes to that. */
static void cancel_one(unsigned int spin, struct victim victim)
{
	volatile unsigned int i = 0;
	pthread_t thread;
	void *result;

	cr_assert_eq(pthread_create(&thread, NULL, visit_for_ever, &victim), 0);
	while (!__atomic_load_n(&victim.started, __ATOMIC_ACQUIRE))
		sched_yield();
	while (!victim.in_lock && i < spin)
		i++;
	if (victim.in_lock)
		wait_for_lock(spin);
	pthread_cancel(thread);
	cr_assert_eq(pthread_join(thread, &result), 0);
	cr_assert_eq(result, PTHREAD_CANCELED);
}

/* Each visit that was begun has been counted as ended or as cut off. */
static void check_after(int threads)
{
	struct selfmon_report *report = rows_take();
	const struct selfmon_row *row;
	uint64_t counted = 0;
	size_t i;

	for (i = 0; i < selfmon_report_rows(report); i++) {
		row = selfmon_report_row(report, i);
		cr_assert_eq(row->open, 0);
		counted += row->visits + row->cut_off;
	}
	cr_assert_geq(counted, bodies);
	cr_assert_leq(counted, bodies + (uint64_t)threads);
	cr_assert_leq(ROWS_GET(report, "outer")->cut_off, (uint64_t)threads);
	cr_assert_gt(ROWS_GET(report, "outer")->visits, 0);
	cr_assert_eq(selfmon_process()->alive, 1, "%d",
		     (int)selfmon_process()->alive);
	selfmon_report_free(report);
}

static void cancel_many(void)
{
	const int threads = long_or_short(20000, 300);
	int i;

	SKIP_IF_SANITIZED("it may be in its own code when it is cancelled");
	selfmon_thread_prepare();
	for (i = 0; i < threads; i++)
		cancel_one((unsigned int)i * 7919 % 40000,
			   (struct victim){ .in_lock = i & 1, .late = i & 2 });
	check_after(threads);
}

Test(host_cancel, threads_cancelled_anywhere_leave_no_lock_and_no_visit,
     .timeout = 600)
{
	cancel_many();
}

Test(host_cancel, nor_do_threads_with_counters, .timeout = 600)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = "page-faults,task-clock";
	cr_assert_eq(selfmon_configure(&options), 0);
	cancel_many();
}

/* Held back as long as it holds the lock; acted on as it gives it back. */
static void *cancel_in_lock(void *unused)
{
	struct selfmon_process *const process = selfmon_process();

	(void)unused;
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	selfmon_process_lock(process);
	pthread_cancel(pthread_self());
	selfmon_process_unlock(process);
	return NULL;
}

Test(host_cancel, a_thread_that_holds_the_lock_is_cancelled_as_it_gives_it_back)
{
	pthread_mutex_t *const lock = &selfmon_process()->lock;
	pthread_t thread;
	void *result;

	selfmon_thread_prepare();
	cr_assert_eq(pthread_create(&thread, NULL, cancel_in_lock, NULL), 0);
	pthread_join(thread, &result);
	cr_assert_eq(result, PTHREAD_CANCELED);
	cr_assert_eq(pthread_mutex_trylock(lock), 0, "it is still held");
	pthread_mutex_unlock(lock);
}

/* Stopped where a handler or a debugger could stop it too. */
static void *stop_in_update(void *unused)
{
	(void)unused;
	SELFMON_REGION("stopped")
	{
		pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
		selfmon_stats_begin(selfmon_thread_attach()->node->stats);
		pthread_cancel(pthread_self());
	}
	return NULL;
}

Test(host_cancel, an_update_that_was_cancelled_is_told_and_the_region_goes_on)
{
	struct selfmon_report *report;
	pthread_t thread;
	int i;

	SKIP_IF_SANITIZED(CANCELLED_STACK);
	selfmon_thread_prepare();
	for (i = 0; i < 2; i++) {
		cr_assert_eq(pthread_create(&thread, NULL, stop_in_update,
					    NULL), 0);
		pthread_join(thread, NULL);
	}
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "stopped")->visits, 0);
	cr_assert_eq(ROWS_GET(report, "stopped")->cut_off, 2);
	cr_assert_eq(selfmon_process()->torn, 2);
	selfmon_report_free(report);
}

static void visit(void)
{
	SELFMON_REGION("visit")
	{
	}
}

/*
 * Deferred: acted on at the first cancellation point, and a sleep is one: a
 * report waits for other threads that are in the middle of an update.
 */
static struct selfmon_stats *updating;
static bool printed;

static void *report_cancelled(void *stream)
{
	struct selfmon_report *report;

	visit();
	pthread_cancel(pthread_self());
	selfmon_report_take(&report);
	selfmon_stats_end(updating);
	selfmon_report_free(report);
	selfmon_report_print(SELFMON_TEXT, stream);
	printed = true;
	pthread_testcancel();
	return NULL;
}

Test(host_cancel, a_report_is_no_cancellation_point, .timeout = 60)
{
	FILE *const null = fopen("/dev/null", "we");
	struct selfmon_report *report;
	pthread_t thread;
	void *result;

	SKIP_IF_SANITIZED(CANCELLED_STACK);
	setvbuf(null, NULL, _IONBF, 0);
	visit();
	updating = selfmon_thread_attach()->newest->stats;
	selfmon_stats_begin(updating);
	cr_assert_eq(pthread_create(&thread, NULL, report_cancelled, null), 0);
	pthread_join(thread, &result);
	cr_assert_eq(result, PTHREAD_CANCELED);
	cr_assert(printed);
	report = rows_take(); /* nobody holds the lock */
	cr_assert_eq(ROWS_GET(report, "visit")->visits, 3);
	selfmon_report_free(report);
	fclose(null);
}
