/* SPDX-License-Identifier: MIT */
/*
 * Tests to which region each sample is attributed. Each region works in a
 * function of its own, so the sampled address identifies the region.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

#include "kernel/samples_wanted.h"

Test(samples, are_of_the_region_that_the_thread_was_in)
{
	ask_for(OFTEN);
	until_in_their_code(wanted(), visit_both);
	assert_apart(wanted());
}

Test(samples, are_of_visits_of_a_fraction_of_a_microsecond_too)
{
	ask_for(OFTEN);
	until(100, visit_short);
	assert_apart(10);
}

Test(samples, of_a_nested_region_are_not_its_parents)
{
	struct selfmon_report *report;
	const struct selfmon_row *a, *b;

	ask_for(OFTEN);
	until_in_their_code(wanted(), visit_nested);
	assert_apart(wanted());
	report = rows_take();
	a = ROWS_GET(report, "a");
	b = ROWS_GET(report, "a", "b");
	cr_expect_eq(a->samples_within, a->samples + b->samples);
	cr_expect_eq(b->samples_within, b->samples);
	selfmon_report_free(report);
}

Test(samples, go_with_counters_and_a_fence)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = "page-faults";
	options.output = NULL;
	options.sample = OFTEN;
	options.fence = true;
	cr_assert_eq(selfmon_configure(&options), 0);
	until_in_their_code(wanted(), visit_nested);
	assert_apart(wanted());
}

static void visit_and_sleep(void)
{
	static int visits;

	visit_nested();
	if (++visits % 100 == 0)
		SELFMON_REGION("nap")
			usleep(100);
}

/* Records of context switches and of samples share a ring. */
Test(samples, go_with_time_off_the_cpu)
{
	struct selfmon_report *report;
	const struct selfmon_row *nap;

	ask_with("@offcpu", OFTEN);
	until_in_their_code(wanted(), visit_and_sleep);
	assert_apart(wanted());
	report = rows_take();
	nap = ROWS_GET(report, "nap");
	cr_expect_geq(nap->switches, nap->visits / 2);
	cr_expect_leq(nap->blocked_ns + nap->preempted_ns, nap->time.sum);
	selfmon_report_free(report);
}

Test(samples, that_are_read_together_are_of_where_they_were_taken)
{
	int i;

	ask_for(ALONE);
	long_ns = 2 * period();
	for (i = 0; i < 20; i++)
		visit_long();
	assert_apart(30);
}

static jmp_buf env;

static __attribute__((noinline)) void jump_out(void)
{
	SELFMON_REGION("a") {
		work_a(SHORT);
		longjmp(env, 1);
	}
}

static void visit_jumped(void)
{
	SELFMON_REGION("b") {
		if (!setjmp(env))
			jump_out();
		SELFMON_REGION("again")
			;
		work_b(SHORT);
	}
}

Test(samples, of_a_visit_that_is_cut_off_stay_its_own)
{
	ask_for(ALONE);
	until_in_their_code(wanted(), visit_jumped);
	assert_apart(wanted());
}

static void visit_left_open(void)
{
	SELFMON_REGION("b") {
		if (!setjmp(env))
			jump_out();
		work_b(SHORT);
	}
}

/*
 * The visit of a, which the jump abandons, stays open until b ends. So the work
 * after the jump belongs to a.
 */
Test(samples, of_a_visit_that_its_parents_end_cuts_off_are_not_lost)
{
	struct selfmon_report *report;
	struct counts a, outside;

	ask_for(ALONE);
	until(wanted(), visit_left_open);
	report = rows_take();
	a = counts_of(report, "a");
	outside = counts_at(report, SELFMON_NO_ROW);
	if (!SANITIZED)
		cr_expect_gt(a.a, 0);
	cr_expect_eq(outside.a + outside.b, 0);
	cr_expect_eq(counts_of(report, "b").a, 0);
	selfmon_report_free(report);
}

/*
 * 300 spans exceed a thread's 256 entries, so the oldest are ended and the
 * others move to other entries.
 */
Test(samples, of_spans_that_are_never_left_stay_theirs)
{
	static struct selfmon_frame frame[300];
	struct selfmon_report *report;
	struct counts a;
	uint64_t ns;
	int i;

	ask_for(ALONE);
	ns = period() / 2;
	SELFMON_REGION("b")
		for (i = 0; i < 300; i++) {
			selfmon_enter(selfmon_region("a"), &frame[i]);
			work_a_for(ns);
		}
	report = rows_take();
	a = counts_of(report, "a");
	if (!SANITIZED)
		cr_expect_gt(a.a, 30);
	/*
	 * Samples that a full ring lost have no stack. Some of them may be of
	 * b, or of code outside of all regions.
	 */
	cr_expect_geq(sum_of(report, "a"), a.samples);
	cr_expect_leq(sum_of(report, "a"),
		      a.samples + (uint64_t)number_of(report, "\"lost\": "));
	cr_expect_eq(counts_of(report, "b").a, 0);
	cr_expect_eq(counts_at(report, SELFMON_NO_ROW).a, 0);
	selfmon_report_free(report);
}

static void visit_in_handler(int signal)
{
	(void)signal;
	SELFMON_REGION("b")
		work_b(SHORT);
}

static void visit_interrupted(void)
{
	SELFMON_REGION("a") {
		work_a(SHORT);
		raise(SIGUSR1);
		work_a(SHORT);
	}
}

Test(samples, of_a_handlers_regions_are_theirs)
{
	ask_for(OFTEN);
	signal(SIGUSR1, visit_in_handler);
	until_in_their_code(wanted(), visit_interrupted);
	assert_apart(wanted());
}

Test(samples, of_spans_are_theirs)
{
	ask_for(OFTEN);
	until_in_their_code(wanted(), visit_spans);
	assert_apart(wanted());
}
