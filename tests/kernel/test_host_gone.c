/* SPDX-License-Identifier: MIT */
/*
 * Threads whose end nobody tells: no key is free, they end by SYS_exit, or visit
 * once more in the last round of destructors.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "holds.h"
#include "region/process.h"
#include "rows.h"
#include "sanitizer.h"

#define SHORT 1000
/* Twice as often as they are looked for, and this thread. */
#define FEW (2 * 32 + 1)
#define AT_ONCE 200

static void configure(bool keys)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	pthread_key_t key;

	options.events = "task-clock";
	options.output = NULL;
	cr_assert_eq(selfmon_configure(&options), 0);
	while (!keys && pthread_key_create(&key, NULL) == 0)
		;
}

static void visit(void)
{
	SELFMON_REGION("visit")
	{
	}
}

static void *visit_and_return(void *unused)
{
	visit();
	return unused;
}

static void *end_in_a_visit(void *unused)
{
	visit();
	SELFMON_REGION("last")
	{
		syscall(SYS_exit, 0);
	}
	return unused;
}

static void run_threads(void *(*body)(void *))
{
	pthread_t thread;
	int i;

	visit();
	for (i = 0; i < SHORT; i++) {
		cr_assert_eq(pthread_create(&thread, NULL, body, NULL), 0);
		pthread_join(thread, NULL);
	}
}

static unsigned int states(void)
{
	const struct selfmon_thread *thread = selfmon_process()->threads;
	unsigned int count = 0;

	for (; thread; thread = thread->next)
		count++;
	return count;
}

Test(host_gone, threads_without_a_key_keep_nothing_for_long)
{
	struct selfmon_report *report;

	SKIP_IF_SANITIZED("it needs keys of its own");
	configure(false);
	run_threads(visit_and_return);
	cr_assert_leq(states(), FEW);
	cr_assert_leq(holds_events_from(0), FEW);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "visit")->visits, SHORT + 1);
	cr_assert_eq(ROWS_GET(report, "visit")->counter[0].visits, SHORT + 1);
	cr_assert(rows_say(report, SELFMON_TEXT, "PTHREAD_KEYS_MAX"));
	selfmon_report_free(report);
}

Test(host_gone, nor_do_those_that_end_by_a_system_call)
{
	struct selfmon_report *report;

	SKIP_IF_SANITIZED("it expects threads to end");
	configure(true);
	run_threads(end_in_a_visit);
	cr_assert_leq(states(), FEW);
	cr_assert_leq(holds_events_from(0), FEW);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "visit")->visits, SHORT + 1);
	cr_assert_geq(ROWS_GET(report, "last")->cut_off, SHORT - FEW);
	cr_assert_eq(ROWS_GET(report, "last")->cut_off +
			     ROWS_GET(report, "last")->open, SHORT);
	cr_assert(rows_say(report, SELFMON_TEXT, "SYS_exit"));
	selfmon_report_free(report);
}

static pthread_key_t late;

static void visit_late(void *left)
{
	visit();
	pthread_setspecific(late, left);
}

static void *end_with_a_destructor(void *unused)
{
	visit();
	pthread_setspecific(late, &late);
	return unused;
}

/* Its key is made after the library's, so that it comes last in each round. */
Test(host_gone, nor_do_those_that_visit_in_the_last_round_of_destructors)
{
	const uint64_t each = 1 + PTHREAD_DESTRUCTOR_ITERATIONS;
	struct selfmon_report *report;

	SKIP_IF_SANITIZED("what it has of a thread is gone by the last round");
	configure(true);
	visit();
	cr_assert_eq(pthread_key_create(&late, visit_late), 0);
	run_threads(end_with_a_destructor);
	cr_assert_leq(states(), FEW);
	cr_assert_leq(holds_events_from(0), FEW);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "visit")->visits, SHORT * each + 2);
	selfmon_report_free(report);
}

static pthread_barrier_t visited;

static void *visit_and_wait(void *unused)
{
	visit();
	pthread_barrier_wait(&visited); /* all have visited ... */
	pthread_barrier_wait(&visited); /* ... and may go */
	visit();
	return unused;
}

Test(host_gone, threads_that_are_alive_keep_theirs)
{
	struct selfmon_report *report;
	pthread_t thread[AT_ONCE];
	int i;

	SKIP_IF_SANITIZED("it needs keys of its own");
	configure(false);
	visit();
	pthread_barrier_init(&visited, NULL, AT_ONCE + 1);
	for (i = 0; i < AT_ONCE; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL, visit_and_wait,
					    NULL), 0);
	pthread_barrier_wait(&visited);
	cr_assert_eq(states(), AT_ONCE + 1);
	cr_assert_eq(selfmon_process()->alive, AT_ONCE + 1);
	pthread_barrier_wait(&visited);
	for (i = 0; i < AT_ONCE; i++)
		pthread_join(thread[i], NULL);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "visit")->visits, 2 * AT_ONCE + 1);
	selfmon_report_free(report);
}
