/* SPDX-License-Identifier: MIT */
/*
 * Tests samples in reports: their cost, and samples in views, intervals and
 * live files.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/samples_wanted.h"

/*
 * The time between two clock reads inside of a region includes the cost of
 * samples. The time of the region does not. Checks that @taken_off, the
 * difference between the two, is the cost of @samples within 50 %.
 */
static void check_cost(const struct selfmon_report *report, double taken_off,
		       uint64_t samples)
{
	const double cost =
		(double)samples * number_of(report, "\"cost_ns\": ");

	cr_assert_gt(samples, 10);
	cr_expect_gt(cost, 0);
	cr_expect(taken_off > cost * 0.5 && taken_off < cost * 1.5,
		  "%.0f ns taken off, %.0f ns is their cost", taken_off, cost);
}

Test(samples, take_their_cost_off_the_time_of_a_visit)
{
	struct selfmon_report *report;
	const struct selfmon_row *a;
	uint64_t ns, ticks;

	SKIP_IF_SANITIZED("its runtime takes longer than the samples");
	ask_for(OFTEN);
	ns = 50 * period();
	SELFMON_REGION("a") {
		ticks = selfmon_clock_ticks();
		work_a_for(ns);
		ticks = selfmon_clock_ticks() - ticks;
	}
	report = rows_take();
	a = ROWS_GET(report, "a");
	check_cost(report,
		   (double)selfmon_clock_ns(selfmon_clock(), ticks) -
			   (double)a->time.net,
		   a->samples);
	selfmon_report_free(report);
}

/*
 * If the library subtracted the cost of samples from the inner visit alone, the
 * cost would appear as self time of the outer visit.
 */
Test(samples, take_their_cost_off_the_visits_around)
{
	struct selfmon_report *report;
	const struct selfmon_row *outer;
	uint64_t ns, ticks;

	SKIP_IF_SANITIZED("its runtime takes longer than the samples");
	ask_for(OFTEN);
	ns = 50 * period();
	SELFMON_REGION("outer") {
		ticks = selfmon_clock_ticks();
		SELFMON_REGION("a")
			work_a_for(ns);
		ticks = selfmon_clock_ticks() - ticks;
	}
	report = rows_take();
	outer = ROWS_GET(report, "outer");
	check_cost(report,
		   (double)selfmon_clock_ns(selfmon_clock(), ticks) -
			   (double)outer->time.net,
		   outer->samples_within);
	selfmon_report_free(report);
}

/*
 * The library subtracts the median cost of a sample. A sample may cost less
 * than the median, and still no time may become 0.
 */
Test(samples, make_no_visit_the_shortest)
{
	struct selfmon_report *report;

	ask_for(OFTEN);
	until(100, visit_short);
	report = rows_take();
	rows_check(report);
	cr_expect_gt(ROWS_GET(report, "a")->time.min, 0);
	cr_expect_gt(ROWS_GET(report, "b")->time.min, 0);
	selfmon_report_free(report);
}

/*
 * Writing text makes a view, which must not change the samples of the report.
 */
Test(samples, are_those_of_a_report_after_its_views_too)
{
	struct selfmon_report *report;
	char name[16];
	int i;

	ask_for(OFTEN);
	until(50, visit_both);
	for (i = 0; i < 60; i++) {
		snprintf(name, sizeof(name), "inner %d", i);
		SELFMON_REGION_OF(selfmon_region(name))
			SELFMON_REGION("c")
				work_a(SHORT);
	}
	report = rows_take();
	cr_expect(rows_say(report, SELFMON_TEXT, "Most self time"));
	if (!SANITIZED)
		cr_expect_geq(counts_of(report, "a").a +
				      counts_of(report, "b").b, 25);
	cr_expect(rows_say(report, SELFMON_JSON, "\"event\": \"task-clock\""));
	selfmon_report_free(report);
}

Test(samples, of_an_interval_are_those_since)
{
	struct selfmon_report *before, *after, *since;
	const struct selfmon_row *a;

	ask_for(OFTEN);
	until(50, visit_both);
	before = rows_take();
	until(100, visit_both);
	after = rows_take();
	cr_assert_eq(selfmon_report_subtract(after, before, &since), 0);
	a = ROWS_GET(since, "a");
	cr_expect_eq(a->samples, ROWS_GET(after, "a")->samples -
					 ROWS_GET(before, "a")->samples);
	rows_check(since);
	selfmon_report_free(before);
	selfmon_report_free(after);
	selfmon_report_free(since);
}

/*
 * The live file of a killed process has the counts of samples, but no stacks.
 */
Test(samples, are_counted_in_a_live_file)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	struct selfmon_report *report;
	char path[64];
	pid_t child;
	int status;

	snprintf(path, sizeof(path), "/dev/shm/selfmon-test-samples-%d",
		 (int)getpid());
	child = fork();
	cr_assert_geq(child, 0);
	if (!child) {
		options.events = "none";
		options.output = NULL;
		options.sample = OFTEN;
		options.live = path;
		if (selfmon_configure(&options))
			_exit(1);
		until(50, visit_nested);
		raise(SIGKILL);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFSIGNALED(status));
	cr_assert_eq(selfmon_report_open(path, &report, NULL), 0);
	unlink(path);
	cr_expect_geq(ROWS_GET(report, "a")->samples_within, 50);
	cr_expect(rows_say(report, SELFMON_JSON, "\"event\": \"task-clock\""));
	cr_expect(rows_say(report, SELFMON_TEXT, "Samples of task-clock: "));
	selfmon_report_free(report);
}
