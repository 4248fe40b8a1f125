/* SPDX-License-Identifier: MIT */
/*
 * A seccomp filter refuses perf_event_open(2), either from the start or later.
 * Tests what reports say about samples and about time off the CPU.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>

#include "refuse.h"
#include "rows.h"

static void ask_for(const char *events, const char *sample)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = events;
	options.output = NULL;
	options.sample = sample;
	cr_assert_eq(selfmon_configure(&options), 0);
}

static void refuse_events(void)
{
	if (refuse_call(SYS_perf_event_open, EPERM))
		cr_skip_test("no filters of system calls here");
}

static void visit_for_long(void)
{
	SELFMON_REGION("work")
		for (volatile int i = 0; i < 20000000; i++)
			;
}

static void *visit_in_thread(void *unused)
{
	(void)unused;
	visit_for_long();
	return NULL;
}

static void visit_in_new_threads(unsigned int count)
{
	pthread_t thread;

	for (; count > 0; count--) {
		cr_assert_eq(pthread_create(&thread, NULL, visit_in_thread,
					    NULL), 0);
		pthread_join(thread, NULL);
	}
}

/*
 * A lack of locked memory gives the same errno as the filter, and must not be
 * reported as the reason.
 */
static void assert_blames_the_filter(const struct selfmon_report *report,
				     enum selfmon_format format)
{
	cr_expect(rows_say(report, format, "seccomp"));
	cr_expect(!rows_say(report, format, "perf_event_mlock_kb"));
	cr_expect(!rows_say(report, format, "ulimit -l"));
}

Test(ring_refused, from_the_start_nothing_is_sampled_and_a_note_has_the_reason)
{
	struct selfmon_report *report;

	refuse_events();
	ask_for("none", "task-clock@300us");
	visit_for_long();
	report = rows_take();
	rows_check(report);
	cr_expect_eq(ROWS_GET(report, "work")->visits, 1);
	cr_expect(rows_say(report, SELFMON_JSON, "\"samples\": null"));
	cr_expect(rows_say(report, SELFMON_JSON, "nothing is sampled: "));
	assert_blames_the_filter(report, SELFMON_JSON);
	selfmon_report_free(report);
}

Test(ring_refused, later_new_threads_have_no_samples_and_are_counted)
{
	struct selfmon_report *report;
	const struct selfmon_row *work;
	uint64_t samples;

	ask_for("none", "task-clock@300us");
	visit_for_long();
	report = rows_take();
	samples = ROWS_GET(report, "work")->samples;
	cr_assert_gt(samples, 0);
	selfmon_report_free(report);
	refuse_events();
	visit_in_new_threads(2);
	report = rows_take();
	work = ROWS_GET(report, "work");
	rows_check(report);
	cr_expect_eq(work->visits, 3);
	cr_expect_eq(work->time.visits, 3);
	cr_expect_eq(work->samples, samples);
	cr_expect(rows_say(report, SELFMON_JSON, "\"no_samples\": 2,"));
	cr_expect(rows_say(report, SELFMON_TEXT, "2 threads took no samples: task-clock: "));
	assert_blames_the_filter(report, SELFMON_JSON);
	assert_blames_the_filter(report, SELFMON_TEXT);
	selfmon_report_free(report);
	/* The thread that ran before the filter is still sampled. */
	visit_for_long();
	report = rows_take();
	cr_expect_gt(ROWS_GET(report, "work")->samples, samples);
	selfmon_report_free(report);
}

Test(ring_refused, later_new_threads_have_no_switches_and_are_counted)
{
	struct selfmon_report *report;

	ask_for("@offcpu", NULL);
	visit_for_long();
	refuse_events();
	visit_in_new_threads(1);
	report = rows_take();
	rows_check(report);
	cr_expect_eq(ROWS_GET(report, "work")->time.visits, 2);
	cr_expect(rows_say(report, SELFMON_JSON, "\"no_off_cpu\": 1,"));
	assert_blames_the_filter(report, SELFMON_JSON);
	assert_blames_the_filter(report, SELFMON_TEXT);
	selfmon_report_free(report);
}
