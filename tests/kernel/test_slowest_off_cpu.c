/* SPDX-License-Identifier: MIT */
/*
 * Tests the times off the CPU of the slowest visits: all of them, also those
 * that are no longer in the recorder's ring.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

#include "kernel/listed.h"
#include "store/frames.h"

#define NAP 50000000

/* With a trace, all visits are listed, so that they overwrite others. */
static void record_all(void)
{
	struct selfmon_options options = slow_options("@offcpu");
	char path[64];

	snprintf(path, sizeof(path), "/dev/shm/selfmon-test-off-cpu-%d",
		 (int)getpid());
	options.trace = path;
	cr_assert_eq(selfmon_configure(&options), 0);
	unlink(path);
}

/* The kernel's clock and the library's clock differ a little. */
static void assert_slept(const struct selfmon_slow *slow, uint64_t ns)
{
	cr_assert(slow->off_known);
	cr_expect_geq(slow->off_cpu.blocked_ns, ns - ns / 50, "%lu of %lu",
		      (unsigned long)slow->off_cpu.blocked_ns,
		      (unsigned long)slow->ns);
	cr_expect_leq(slow->off_cpu.blocked_ns + slow->off_cpu.preempted_ns,
		      slow->ns + slow->ns / 50);
}

/* Sleeps, and then makes more visits than the recorder has room for. */
static void sleep_and_visit(void)
{
	SELFMON_REGION("lock")
		selfmon_kernel_sleep_ns(NAP);
	visits("row", RING + 100);
}

Test(slowest_off_cpu, of_a_visit_are_known_if_parts_were_overwritten)
{
	const struct selfmon_slow *slow;
	struct selfmon_report *report;

	record_all();
	SELFMON_REGION("request") {
		selfmon_kernel_sleep_ns(NAP);
		sleep_and_visit();
	}
	report = rows_take();
	slow = slowest(report, "request");
	cr_assert((slow->flags & SELFMON_SLOW_OVERWRITTEN) != 0);
	cr_expect_eq(parts_of(slow, "lock"), 0);
	cr_expect_geq(slow->off_cpu.blocked, 2);
	assert_slept(slow, 2 * NAP);
	assert_slept(slowest(report, "lock"), NAP);
	cr_expect(rows_say(report, SELFMON_TEXT, ", blocked "));
	cr_expect(rows_say(report, SELFMON_JSON,
			   "\"off_cpu\": {\"blocked_ns\": "));
	selfmon_report_free(report);
}

/* Visits end in a frame, and read the ring, before the frame ends. */
Test(slowest_off_cpu, of_a_frame_are_known_if_parts_were_overwritten)
{
	const struct selfmon_slow *slow;
	struct selfmon_report *report;

	record_all();
	selfmon_frame_mark("turn");
	sleep_and_visit();
	selfmon_kernel_sleep_ns(NAP);
	selfmon_frame_mark("turn");
	report = rows_take();
	slow = slowest(report, "turn");
	cr_assert((slow->flags & SELFMON_SLOW_OVERWRITTEN) != 0);
	cr_expect_geq(slow->off_cpu.blocked, 2);
	assert_slept(slow, 2 * NAP);
	selfmon_report_free(report);
}

/* Each frame has the sleep after its mark. The ring is read at some marks. */
Test(slowest_off_cpu, of_frames_are_those_between_their_marks)
{
	const struct selfmon_slow *first = NULL;
	struct selfmon_report *report;
	size_t i, n;

	record_with("@offcpu");
	for (i = 0; i < 6; i++) {
		selfmon_frame_mark("turn");
		selfmon_kernel_sleep_ns(i == 3 ? 4 * NAP : NAP / 10);
	}
	selfmon_frame_mark("turn");
	report = rows_take();
	n = kept(report, "turn", &first);
	cr_assert_eq(n, 6);
	assert_slept(&first[0], 4 * NAP);
	for (i = 1; i < n; i++)
		assert_slept(&first[i], NAP / 10);
	selfmon_report_free(report);
}

/* A mark in a handler, or of a name that is marked rarely, changes no other. */
Test(slowest_off_cpu, of_frames_with_several_names_are_each_ones_own)
{
	const struct selfmon_slow *slow;
	struct selfmon_report *report;
	size_t i;

	record_with("@offcpu");
	selfmon_frame_mark("long");
	for (i = 0; i < 5; i++) {
		selfmon_frame_mark("short");
		selfmon_kernel_sleep_ns(NAP / 5);
	}
	selfmon_frame_mark("short");
	selfmon_frame_mark("long");
	report = rows_take();
	slow = slowest(report, "long");
	assert_slept(slow, NAP);
	cr_expect_geq(slow->off_cpu.blocked, 5);
	assert_slept(slowest(report, "short"), NAP / 5);
	selfmon_report_free(report);
}

Test(slowest_off_cpu, are_those_of_the_visit_and_all_visits_inside)
{
	const struct selfmon_slow *slow;
	struct selfmon_report *report;

	record_with("@offcpu");
	SELFMON_REGION("outer") {
		selfmon_kernel_sleep_ns(NAP);
		SELFMON_REGION("inner")
			selfmon_kernel_sleep_ns(NAP);
	}
	visit("later", 10 * LONG_NS); /* sleeps, in the entry of "outer" */
	SELFMON_REGION("awake")
		;
	report = rows_take();
	assert_slept(slowest(report, "outer"), 2 * NAP);
	slow = slowest(report, "inner");
	assert_slept(slow, NAP);
	cr_expect_eq(slow->off_cpu.blocked, 1);
	assert_slept(slowest(report, "later"), 10 * LONG_NS);
	slow = slowest(report, "awake");
	cr_expect(slow->off_known);
	cr_expect_eq(slow->off_cpu.blocked, 0);
	selfmon_report_free(report);
}

static void *asleep(void *argument)
{
	(void)argument;
	visit("thread", 10 * LONG_NS);
	return NULL;
}

/* The threads use one state, each with a ring of its own. */
Test(slowest_off_cpu, of_a_thread_are_its_own)
{
	const struct selfmon_slow *first = NULL;
	struct selfmon_report *report;
	pthread_t thread;
	size_t i, n;

	record_with("@offcpu");
	for (i = 0; i < 3; i++) {
		cr_assert_eq(pthread_create(&thread, NULL, asleep, NULL), 0);
		pthread_join(thread, NULL);
	}
	report = rows_take();
	n = kept(report, "thread", &first);
	cr_assert_eq(n, 3);
	for (i = 0; i < n; i++)
		assert_slept(&first[i], 10 * LONG_NS);
	selfmon_report_free(report);
}

/*
 * If a handler jumps out of a mark that reads the times off the CPU, at most the
 * next two frames lack theirs.
 */
Test(slowest_off_cpu, of_frames_are_known_again_after_a_jump_out_of_a_mark)
{
	const struct selfmon_slow *first = NULL;
	struct selfmon_report *report;
	struct selfmon_frame_open *frame;
	size_t i, n, known = 0;

	record_with("@offcpu");
	selfmon_frame_mark("turn");
	selfmon_kernel_sleep_ns(NAP / 10);
	selfmon_frame_mark("turn");
	frame = selfmon_frame_named(selfmon_thread_self()->frames, "turn");
	cr_assert_not_null(frame);
	/* as such a mark leaves it: with the frame that it ended */
	frame->off = (struct selfmon_frame_off){
		.start = frame->start - 1, .end = frame->start
	};
	for (i = 0; i < 4; i++) {
		selfmon_kernel_sleep_ns(NAP / 10);
		selfmon_frame_mark("turn");
	}
	report = rows_take();
	n = kept(report, "turn", &first);
	cr_assert_eq(n, 5);
	for (i = 0; i < n; i++)
		if (first[i].off_known) {
			assert_slept(&first[i], NAP / 10);
			known++;
		}
	cr_expect_geq(known, 3);
	selfmon_report_free(report);
}

Test(slowest_off_cpu, of_a_detached_span_are_unknown)
{
	struct selfmon_async_span span;
	struct selfmon_report *report;

	record_with("@offcpu");
	selfmon_async_begin(selfmon_region("span"), &span);
	selfmon_kernel_sleep_ns(NAP / 10);
	selfmon_async_end(&span);
	report = rows_take();
	cr_expect_not(slowest(report, "span")->off_known);
	cr_expect(rows_say(report, SELFMON_JSON, "\"off_cpu\": null"));
	selfmon_report_free(report);
}

Test(slowest_off_cpu, are_unknown_without_the_event)
{
	struct selfmon_report *report;

	record();
	visit("asleep", LONG_NS);
	report = rows_take();
	cr_expect_not(slowest(report, "asleep")->off_known);
	selfmon_report_free(report);
}
