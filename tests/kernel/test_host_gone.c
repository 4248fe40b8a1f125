/* SPDX-License-Identifier: MIT */
/*
 * Tests threads that end without running the library's destructor: none of
 * their visits is lost.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rows.h"
#include "sanitizer.h"

#define SHORT 100

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

Test(host_gone, without_a_key_all_visits_count)
{
	struct selfmon_report *report;

	SKIP_IF_SANITIZED("it needs keys of its own");
	configure(false);
	run_threads(visit_and_return);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "visit")->visits, SHORT + 1);
	cr_assert(rows_say(report, SELFMON_TEXT, "pthread_key_create(3)"));
	selfmon_report_free(report);
}

Test(host_gone, visits_of_threads_that_end_by_a_system_call_count)
{
	struct selfmon_report *report;

	SKIP_IF_SANITIZED("it expects threads to end");
	configure(true);
	run_threads(end_in_a_visit);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "visit")->visits, SHORT + 1);
	cr_assert_eq(ROWS_GET(report, "last")->open, SHORT);
	selfmon_report_free(report);
}
