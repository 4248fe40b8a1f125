/* SPDX-License-Identifier: MIT */
/*
 * Tests the contents of a live file: facts about its process, and statistics.
 */
#define _GNU_SOURCE
#include <pthread.h>

#include "kernel/lives.h"
#include "store/state.h"

#define DEEP 100
#define SHORT_THREADS 300
/*
 * Text in reports whose times exclude the library's overhead. On a machine that
 * is too busy, the overhead is not measured.
 */
#define SUBTRACTED "subtracted (noise"

TestSuite(live_contents, .init = setup, .fini = teardown);

static void nest(int depth)
{
	SELFMON_REGION("nested")
	{
		if (depth > 1)
			nest(depth - 1);
	}
}

static void too_deep(void)
{
	nest(SELFMON_DEPTH_MAX + DEEP);
}

Test(live_contents, visits_that_were_too_deep_are_reported)
{
	struct selfmon_report *report;

	cr_assert_eq(run(too_deep), 0);
	report = read_back(path);
	cr_assert(says(report, "100 visits not measured: 256 visits were open "
			       "in the thread (deep recursion"));
	cr_assert_eq(visits_in(report), SELFMON_DEPTH_MAX);
	selfmon_report_free(report);
}

static void *visit_once(void *unused)
{
	SELFMON_REGION("once")
	{
	}
	return unused;
}

static void short_threads(void)
{
	pthread_t thread[3];
	size_t i, k;

	for (i = 0; i < SHORT_THREADS / 3; i++) {
		for (k = 0; k < 3; k++)
			if (pthread_create(&thread[k], NULL, visit_once, NULL))
				_exit(98);
		for (k = 0; k < 3; k++)
			pthread_join(thread[k], NULL);
	}
}

Test(live_contents, threads_that_have_ended_are_in_it)
{
	struct selfmon_report *report;

	cr_assert_eq(run(short_threads), 0);
	report = read_back(path);
	cr_assert_eq(ROWS_GET(report, "once")->visits, SHORT_THREADS);
	cr_assert(says(report, "300 threads"));
	selfmon_report_free(report);
}

static void with_events(void)
{
	setenv("SELFMON_EVENTS", "page-faults,task-clock", 1);
	SELFMON_REGION("counted")
	{
		char *const memory = mmap(NULL, 16 << 12, PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		size_t i;

		for (i = 0; i < 16; i++)
			memory[i << 12] = 1;
	}
}

Test(live_contents, events_and_their_counts_are_in_it)
{
	const struct selfmon_row *row;
	struct selfmon_report *report;

	cr_assert_eq(run(with_events), 0);
	report = read_back(path);
	cr_assert_str_eq(selfmon_report_column(report, 0), "page-faults");
	cr_assert_str_eq(selfmon_report_column(report, 1), "task-clock");
	row = ROWS_GET(report, "counted");
	cr_assert_eq(row->counter[0].verdict, SELFMON_SYSCALL);
	cr_assert_geq(row->counter[0].sum, 16);
	selfmon_report_free(report);
}

/*
 * The process's own report measures the library's overhead, and the file then
 * contains the overhead.
 */
static void report_and_go(void)
{
	struct selfmon_report *report;

	SELFMON_REGION("slept")
	{
		usleep(20000);
	}
	if (selfmon_report_take(&report))
		_exit(99);
	outcome->sum = ROWS_GET(report, "slept")->time.sum;
	outcome->subtracts = says(report, SUBTRACTED);
	selfmon_report_free(report);
}

Test(live_contents, times_are_those_of_the_process)
{
	struct selfmon_report *report;
	uint64_t sum;

	cr_assert_eq(run(report_and_go), 0);
	report = read_back(path);
	sum = ROWS_GET(report, "slept")->time.sum;
	cr_assert(sum > outcome->sum - outcome->sum / 100 &&
			  sum < outcome->sum + outcome->sum / 100,
		  "%llu ns, and %llu by the process", (unsigned long long)sum,
		  (unsigned long long)outcome->sum);
	cr_assert_eq(says(report, SUBTRACTED), outcome->subtracts);
	selfmon_report_free(report);
}

static void by_code(void)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	unsetenv("SELFMON_LIVE");
	options.output = NULL;
	options.events = "none";
	options.live = path;
	if (selfmon_configure(&options))
		_exit(100);
	SELFMON_REGION("first")
	{
	}
}

Test(live_contents, a_program_may_name_it_in_code)
{
	struct selfmon_report *report;

	cr_assert_eq(run(by_code), 0);
	report = read_back(path);
	cr_assert_eq(ROWS_GET(report, "first")->visits, 1);
	selfmon_report_free(report);
}
