/* SPDX-License-Identifier: MIT */
/* Tests the parts of the slowest frames (SELFMON_RECORD). */
#define _GNU_SOURCE
#include <unistd.h>

#include "kernel/slow.h"
#include "session/trace_writer.h"

static bool has_part(const struct selfmon_slow *slow, const char *name)
{
	size_t i;

	for (i = 0; i < slow->parts; i++)
		if (!strcmp(slow->part[i].region, name))
			return true;
	return false;
}

static uint64_t blocked_in(const struct selfmon_slow *slow)
{
	uint64_t ns = 0;
	size_t i;

	for (i = 0; i < slow->parts; i++)
		if (slow->part[i].kind == SELFMON_PART_BLOCKED)
			ns += slow->part[i].ns;
	return ns;
}

/*
 * The parts of each frame are the request between its marks, and the visits
 * inside of the request.
 */
Test(frames_slowest, have_what_ended_between_their_marks)
{
	const struct selfmon_slow *first = NULL, *slow;
	struct selfmon_report *report;
	int i;

	record();
	selfmon_frame_mark("turn");
	for (i = 0; i < 5; i++) {
		request(i == 2);
		selfmon_frame_mark("turn");
	}
	report = rows_take();
	slow = slow_with(report, "turn", "store", LONG_LEAST_NS);
	cr_assert_eq(kept(report, "turn", &first), 5);
	for (i = 0; i < 5; i++) {
		cr_expect_eq(first[i].inner, 4);
		cr_expect_eq(first[i].parts, 4);
		cr_expect_eq(first[i].flags & SELFMON_SLOW_ALONE, 0);
		cr_expect_str_eq(first[i].part[0].region, "request");
		cr_expect(first[i].part[0].outermost);
		cr_expect_leq(first[i].part[0].ns, first[i].ns);
		cr_expect_str_eq(first[i].part[1].region, "parse");
		cr_expect(!first[i].part[1].outermost);
	}
	cr_expect_leq(slow->part[3].begin_ns + slow->part[3].ns, slow->ns + 1);
	cr_expect(rows_say(report, SELFMON_TEXT, "inside: request "));
	selfmon_report_free(report);
}

/*
 * Before the first mark nothing contains an outermost visit, so it has no entry
 * in the recorder. After the mark it has one.
 */
Test(frames_slowest, have_visits_of_regions_that_ran_before_the_first_mark)
{
	const struct selfmon_slow *first = NULL;
	struct selfmon_report *report;
	int i, k;

	record();
	for (i = 0; i < 100; i++)
		visit("early", LONG_NS / 100);
	selfmon_frame_mark("turn");
	for (i = 0; i < 5; i++) {
		for (k = 0; k < 20; k++)
			visit("early", k < 19 ? 0 : LONG_NS);
		selfmon_frame_mark("turn");
	}
	report = rows_take();
	cr_assert_eq(kept(report, "turn", &first), 5);
	for (i = 0; i < 5; i++)
		cr_expect_eq(first[i].inner, 20);
	selfmon_report_free(report);
}

/*
 * A visit is a part of a frame if the visit's middle is in the frame and the
 * visit ends before the frame does. Each "tick" ends after its mark, but its
 * middle is before the mark, even if another program takes the CPU after the
 * mark. So no "tick" is a part of a frame. "game" is open at all marks, and is
 * no part either.
 */
Test(frames_slowest, leave_out_visits_around_a_mark)
{
	const struct selfmon_slow *first = NULL;
	struct selfmon_report *report;
	size_t i;

	record();
	SELFMON_REGION("game")
		for (i = 0; i < 6; i++)
			SELFMON_REGION("tick") {
				visit("simulate", 10000000);
				visit("draw", 10000000);
				selfmon_frame_mark(NULL);
			}
	report = rows_take();
	cr_assert_eq(kept(report, "frame", &first), 5);
	for (i = 0; i < 5; i++) {
		cr_expect_eq(first[i].inner, 2);
		cr_expect_str_eq(first[i].part[0].region, "simulate");
		cr_expect_str_eq(first[i].part[1].region, "draw");
		cr_expect(first[i].part[0].outermost &&
			  first[i].part[1].outermost);
	}
	/* The slowest visits of "game" and "tick" themselves have all parts. */
	cr_expect_eq(slowest(report, "game")->inner, 18);
	cr_expect_eq(slowest(report, "tick")->inner, 2);
	selfmon_report_free(report);
}

/*
 * The visit of "load" began before the slow frame. Most of its time is in the
 * frame.
 */
Test(frames_slowest, have_of_a_visit_what_is_after_the_mark)
{
	const uint64_t begin = selfmon_kernel_monotonic_ns();
	const struct selfmon_slow *slow;
	struct selfmon_report *report;

	record();
	selfmon_frame_mark(NULL);
	SELFMON_REGION("load") {
		work_for(LONG_NS / 10);
		selfmon_frame_mark(NULL);
		work_for(LONG_NS +
			 3 * (selfmon_kernel_monotonic_ns() - begin));
	}
	selfmon_frame_mark(NULL);
	report = rows_take();
	slow = slowest(report, "frame");
	cr_assert_eq(slow->parts, 1);
	cr_expect_str_eq(slow->part[0].region, "load");
	cr_expect_eq(slow->part[0].begin_ns, 0);
	cr_expect_leq(slow->part[0].ns, slow->ns);
	cr_expect_geq(slow->part[0].ns, LONG_LEAST_NS);
	selfmon_report_free(report);
}

/* The time off the CPU is recorded even if the thread visits no region. */
Test(frames_slowest, say_how_long_they_were_off_the_cpu)
{
	const struct selfmon_slow *slow;
	struct selfmon_report *report;
	int i;

	record_with("@offcpu");
	for (i = 0; i < 20; i++) {
		selfmon_frame_mark(NULL);
		if (i == 10)
			usleep(200000);
	}
	report = rows_take();
	slow = slowest(report, "frame");
	cr_expect_geq(slow->ns, 196000000);
	cr_expect_geq(blocked_in(slow), 195000000, "%lu",
		      (unsigned long)blocked_in(slow));
	cr_expect_leq(blocked_in(slow), slow->ns + slow->ns / 50);
	cr_expect(rows_say(report, SELFMON_TEXT, "blocked "));
	selfmon_report_free(report);
}

/*
 * With a trace, the ring of recorded visits also has entries for frames and
 * spans. They must not become parts of other frames.
 */
Test(frames_slowest, are_no_parts_of_others_with_a_trace)
{
	struct selfmon_options options = slow_options("none");
	const struct selfmon_slow *slow;
	struct selfmon_report *report;
	struct selfmon_async_span span;
	char path[64];
	int i;

	snprintf(path, sizeof(path), "/dev/shm/selfmon-test-frames-%d",
		 (int)getpid());
	options.trace = path;
	cr_assert_eq(selfmon_configure(&options), 0);
	selfmon_frame_mark("outer");
	SELFMON_REGION("game")
		for (i = 0; i < 4; i++) {
			selfmon_async_begin(selfmon_region("span"), &span);
			visit("simulate", 100000);
			selfmon_async_end(&span);
			selfmon_frame_mark("inner");
		}
	selfmon_frame_mark("outer");
	report = rows_take();
	selfmon_trace_end();
	unlink(path);
	slow = slowest(report, "outer");
	cr_expect_eq(slow->inner, 5);
	cr_expect(has_part(slow, "game") && has_part(slow, "simulate"));
	cr_expect_eq(slowest(report, "game")->inner, 4);
	cr_expect_eq(slowest(report, "inner")->inner, 1);
	selfmon_report_free(report);
}
