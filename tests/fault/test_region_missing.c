/* SPDX-License-Identifier: MIT */
/* Tests events that cannot be opened, in all threads or only in some. */
#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include <selfmon.h>

#include "clock/clock.h"
#include "fault/kernel_faults.h"
#include "store/process.h"
#include "store/self.h"
#include "rows.h"

#define LIST "task-clock,page-faults,context-switches"
#define VISITS 10
#define PLACE_OF_PAGE_FAULTS 1

static char live[64];

static void setup(void)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	snprintf(live, sizeof(live), "/dev/shm/selfmon-missing-%d", getpid());
	kernel_faults_clear();
	selfmon_clock(); /* opens an event of its own at its first call */
	kernel_faults_clear();
	setenv("SELFMON_LIVE", live, 1);
	options.events = LIST;
	options.output = NULL;
	cr_assert_eq(selfmon_configure(&options), 0);
}

static void fini(void)
{
	unlink(live);
}

TestSuite(region_missing, .init = setup, .fini = fini);

static void *visit(void *count)
{
	int n = *(const int *)count;

	while (n-- > 0)
		SELFMON_REGION("work")
			usleep(1000); /* causes at least one context switch */
	return NULL;
}

static void visit_in_thread(int n)
{
	pthread_t thread;

	cr_assert_eq(pthread_create(&thread, NULL, visit, &n), 0);
	cr_assert_eq(pthread_join(thread, NULL), 0);
}

/*
 * Checks that the columns are in the order of the list, each with its own
 * values or none.
 */
static void check_order(const struct selfmon_report *report)
{
	const struct selfmon_row *const row = ROWS_GET(report, "work");

	cr_assert_str_eq(selfmon_report_column(report, 0), "task-clock");
	cr_assert_str_eq(selfmon_report_column(report, 1), "page-faults");
	cr_assert_str_eq(selfmon_report_column(report, 2), "context-switches");
	cr_assert_eq(row->counter[0].verdict, SELFMON_SYSCALL);
	cr_assert_eq(row->counter[1].verdict, SELFMON_NOT_COUNTED);
	cr_assert_eq(row->counter[1].visits, 0);
	cr_assert_eq(row->counter[1].sum, 0);
	cr_assert_eq(row->counter[2].verdict, SELFMON_SYSCALL);
	cr_assert_geq(row->counter[2].sum, row->visits);
	cr_assert_lt(row->counter[2].sum, row->counter[0].sum);
	cr_assert_eq(row->counter[2].visits, row->visits);
	cr_assert_eq(row->whole, row->visits, "no visit lacks a value");
}

Test(region_missing, a_column_that_no_thread_has_keeps_its_place)
{
	struct selfmon_report *report;
	int n = VISITS;

	kernel_faults_at(FAULT_OPEN, 1 + PLACE_OF_PAGE_FAULTS, ENOENT);
	visit(&n);
	cr_assert_eq(selfmon_thread_self()->missing, 0);
	report = rows_take();
	check_order(report);
	cr_assert(rows_say(report, SELFMON_CSV, "page-faults"));
	selfmon_report_free(report);
	cr_assert_eq(selfmon_report_open(live, &report, NULL), 0);
	check_order(report);
	selfmon_report_free(report);
}

Test(region_missing, a_thread_that_lacks_a_column_leaves_out_its_own_visits)
{
	struct selfmon_report *report;
	const struct selfmon_row *row;
	int n = VISITS;

	visit(&n);
	kernel_faults_at(FAULT_OPEN, 1 + PLACE_OF_PAGE_FAULTS, EMFILE);
	visit_in_thread(2 * VISITS);
	report = rows_take();
	row = ROWS_GET(report, "work");
	cr_assert_eq(row->visits, 3 * VISITS);
	cr_assert_eq(row->counter[0].visits, 3 * VISITS);
	cr_assert_eq(row->counter[1].visits, VISITS);
	cr_assert_eq(row->counter[2].visits, 3 * VISITS);
	cr_assert_geq(row->counter[2].sum, 3 * VISITS);
	cr_assert_eq(row->whole, VISITS);
	selfmon_report_free(report);
}

static void *get_mode(void *mode)
{
	cr_assert_eq(selfmon_thread_prepare(), 0);
	*(uint32_t *)mode = selfmon_thread_self()->mode;
	return NULL;
}

Test(region_missing, a_list_of_which_nothing_counts_is_time_alone)
{
	struct selfmon_report *report;
	pthread_t thread;
	uint32_t mode = 0;
	int n = VISITS;

	if (!selfmon_clock_direct())
		cr_skip_test("the clock is a call here");
	kernel_faults_from(FAULT_OPEN, 1, ENOENT);
	visit(&n);
	cr_assert_eq(selfmon_thread_self()->mode, SELFMON_MODE_TIME);
	cr_assert_null(selfmon_thread_self()->set);
	cr_assert_eq(pthread_create(&thread, NULL, get_mode, &mode), 0);
	cr_assert_eq(pthread_join(thread, NULL), 0);
	cr_assert_eq(mode, SELFMON_MODE_TIME);
	report = rows_take();
	cr_assert_str_eq(selfmon_report_column(report, 2), "context-switches");
	cr_assert_eq(ROWS_GET(report, "work")->counter[2].verdict,
		     SELFMON_NOT_COUNTED);
	selfmon_report_free(report);
}
