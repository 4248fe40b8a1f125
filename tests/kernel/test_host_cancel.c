/* SPDX-License-Identifier: MIT */
/* Tests regions in threads that are cancelled. */
#include <pthread.h>
#include <unistd.h>

#include "session/thread.h"
#include "store/lock.h"
#include "store/process.h"
#include "rows.h"
#include "sanitizer.h"
#include "store/state.h"

#define TIMES 100
/*
 * At the end of a thread, AddressSanitizer calls sigaltstack(2). In a cancelled
 * thread, AddressSanitizer reports its own write as an error.
 */
#define CANCELLED_STACK                                                        \
	"it treats the frames of a cancelled thread as live"

static void visit(void)
{
	SELFMON_REGION("visit")
	{
	}
}

static void *visit_until_cancelled(void *unused)
{
	for (;;) {
		SELFMON_REGION("outer")
		{
			visit();
			pthread_testcancel();
		}
	}
	return unused;
}

Test(host_cancel, a_thread_that_is_cancelled_in_a_region_counts)
{
	struct selfmon_report *report;
	const struct selfmon_row *outer;
	pthread_t thread;
	void *result;
	int i;

	SKIP_IF_SANITIZED(CANCELLED_STACK);
	selfmon_thread_prepare();
	for (i = 0; i < TIMES; i++) {
		cr_assert_eq(pthread_create(&thread, NULL,
					    visit_until_cancelled, NULL), 0);
		pthread_cancel(thread);
		pthread_join(thread, &result);
		cr_assert_eq(result, PTHREAD_CANCELED);
	}
	report = rows_take();
	outer = ROWS_GET(report, "outer");
	cr_assert_eq(outer->open, 0);
	cr_assert_eq(outer->cut_off, TIMES);
	cr_assert_eq(ROWS_GET(report, "outer", "visit")->visits,
		     outer->visits + outer->cut_off);
	cr_assert_eq(selfmon_process()->alive, 1, "%d",
		     (int)selfmon_process()->alive);
	selfmon_report_free(report);
}

/*
 * In a blocking call, glibc may allow cancellation at any instruction, also in
 * a handler that interrupts the call. But the library delays the cancellation
 * while the thread holds the lock.
 */
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

/*
 * Statistics with an update that has begun and not ended. A report waits for
 * the end of the update by sleeping. A sleep is a cancellation point, at which
 * deferred cancellation would take effect.
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
	report = rows_take(); /* no thread holds the lock */
	cr_assert_eq(ROWS_GET(report, "visit")->visits, 3);
	selfmon_report_free(report);
	fclose(null);
}
