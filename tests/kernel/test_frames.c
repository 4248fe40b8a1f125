/* SPDX-License-Identifier: MIT */
/*
 * Tests frames: the time from one mark to the next. test_frames_slowest.c tests
 * the parts of the slowest frames.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

#include "clock/clock.h"
#include "holds.h"
#include "kernel/fibers.h"
#include "lives.h"
#include "report/model.h"
#include "rows.h"
#include "sanitizer.h"
#include "store/frames.h"
#include "store/self.h"

static void configure(const char *events, uint32_t every)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = events;
	options.every = every;
	options.output = NULL;
	cr_assert_eq(selfmon_configure(&options), 0);
}

static void marks(const char *name, int n)
{
	for (; n > 0; n--)
		selfmon_frame_mark(name);
}

static void in_a_thread(void *(*body)(void *), void *argument)
{
	pthread_t thread;

	cr_assert_eq(pthread_create(&thread, NULL, body, argument), 0);
	cr_assert_eq(pthread_join(thread, NULL), 0);
}

static const struct selfmon_row *row_in(const struct selfmon_report *report,
					const char *name)
{
	const struct selfmon_report *const spans = selfmon_report_async(report);
	const struct selfmon_row *const row =
		spans ? ROWS_FIND(spans, name) : NULL;

	if (spans)
		rows_check(spans);
	if (row) {
		cr_assert_eq(row->frames, row->visits);
		cr_assert_eq(row->open, 0);
		cr_assert_eq(row->elsewhere, 0);
	}
	return row;
}

static uint64_t frames_of(const char *name)
{
	struct selfmon_report *const report = rows_take();
	const struct selfmon_row *const row = row_in(report, name);
	const uint64_t frames = row ? row->visits : 0;

	selfmon_report_free(report);
	return frames;
}

/*
 * Returns the time of the calling thread's last mark with its first frame name,
 * in ticks.
 */
static uint64_t last_mark(void)
{
	return selfmon_thread_self()->frames->open[0].start;
}

static const struct selfmon_stats *recorded(void)
{
	return selfmon_thread_self()->frames->open[0].node->stats;
}

/* ---- times --------------------------------------------------------------- */

Test(frames, add_up_to_the_time_from_the_first_mark_to_the_last)
{
	uint64_t first, before, after;
	int i;

	before = selfmon_clock_ticks();
	selfmon_frame_mark(NULL);
	after = selfmon_clock_ticks();
	first = last_mark();
	cr_expect(first >= before && first <= after);
	cr_expect_eq(selfmon_stats_visits(recorded()), 0);
	for (i = 0; i < 1000; i++) {
		if (i % 100 == 0)
			usleep(100);
		selfmon_frame_mark(NULL);
	}
	cr_expect_eq(selfmon_stats_visits(recorded()), 1000);
	cr_expect_eq(recorded()->ticks.sum, last_mark() - first);
	cr_expect_leq(last_mark(), selfmon_clock_ticks());
	cr_expect_eq(frames_of("frame"), 1000);
}

Test(frames, by_a_clock_that_takes_a_call_add_up_too)
{
	uint64_t first;

	cr_assert_eq(selfmon_clock_force(SELFMON_CLOCK_GETTIME), 0);
	selfmon_frame_mark(NULL);
	first = last_mark();
	usleep(2000);
	marks(NULL, 100);
	cr_expect_eq(recorded()->ticks.sum, last_mark() - first);
	cr_expect_geq(recorded()->ticks.max, 2000000);
	cr_expect_eq(frames_of("frame"), 100);
}

Test(frames, are_all_measured_if_one_visit_in_n_is)
{
	configure("none", 100);
	marks(NULL, 501);
	cr_expect_eq(frames_of("frame"), 500);
}

/* ---- names --------------------------------------------------------------- */

/* Names are compared by content, since a program may build them at run time. */
Test(frames, of_equal_names_are_the_same)
{
	char name[16];
	int i;

	for (i = 0; i < 10; i++) {
		snprintf(name, sizeof(name), "%s", i % 2 ? "odd" : "even");
		selfmon_frame_mark(name);
	}
	marks("", 3);
	marks("frame", 3);
	marks(NULL, 3);
	cr_expect_eq(frames_of("odd"), 4);
	cr_expect_eq(frames_of("even"), 4);
	cr_expect_eq(frames_of("frame"), 8);
}

static void *mark_another(void *name)
{
	marks(name, 3);
	return NULL;
}

Test(frames, of_more_names_than_a_thread_may_have_are_counted)
{
	char name[16], other[] = "other";
	struct selfmon_report *report;
	int i, n;

	for (i = 0; i < 3; i++)
		for (n = 0; n < (int)SELFMON_FRAME_NAMES + 2; n++) {
			snprintf(name, sizeof(name), "name %d", n);
			selfmon_frame_mark(name);
		}
	in_a_thread(mark_another, other);
	report = rows_take();
	for (n = 0; n < (int)SELFMON_FRAME_NAMES; n++) {
		snprintf(name, sizeof(name), "name %d", n);
		cr_assert_not_null(row_in(report, name));
		cr_expect_eq(row_in(report, name)->visits, 2);
	}
	cr_expect_null(row_in(report, "name 8"));
	cr_expect_eq(row_in(report, "other")->visits, 2);
	cr_expect_eq(report->unready, 6);
	cr_expect(says(report, "a thread marks frames with more than 8 names"));
	selfmon_report_free(report);
}

Test(frames, are_none_after_the_first_mark)
{
	struct selfmon_report *report;

	selfmon_frame_mark(NULL);
	report = rows_take();
	cr_expect_null(selfmon_report_async(report));
	selfmon_report_free(report);
}

/* ---- threads ------------------------------------------------------------- */

Test(frames, are_those_of_each_thread)
{
	char frame[] = "frame";
	uint64_t first;

	selfmon_frame_mark(NULL);
	first = last_mark();
	in_a_thread(mark_another, frame);
	selfmon_frame_mark(NULL);
	cr_expect_eq(recorded()->ticks.sum, last_mark() - first);
	cr_expect_eq(selfmon_stats_visits(recorded()), 1);
	cr_expect_eq(frames_of("frame"), 3);
}

/* The second thread reuses the state and the statistics of the first one. */
Test(frames, of_an_ended_thread_do_not_go_on_in_the_next)
{
	char frame[] = "frame";
	struct selfmon_report *report;

	in_a_thread(mark_another, frame);
	usleep(20000);
	in_a_thread(mark_another, frame);
	report = rows_take();
	cr_expect_eq(row_in(report, "frame")->visits, 4);
	cr_expect_eq(row_in(report, "frame")->threads, 1);
	selfmon_report_free(report);
}

static void *mark_many_names(void *number)
{
	char name[32];
	int i;

	for (i = 0; i < 5; i++) {
		snprintf(name, sizeof(name), "%d of %s", i, (char *)number);
		marks(name, 2);
	}
	return NULL;
}

Test(frames, of_threads_that_follow_each_other_have_names_of_their_own)
{
	char one[] = "1", two[] = "2";
	struct selfmon_report *report;

	in_a_thread(mark_many_names, one);
	in_a_thread(mark_many_names, two);
	report = rows_take();
	cr_expect_eq(report->unready, 0);
	cr_expect_not_null(row_in(report, "4 of 2"));
	selfmon_report_free(report);
}

static void mark_and_pause(struct job *job)
{
	marks(NULL, 2);
	job_pause(job);
	marks(NULL, 2);
}

static void *run_job(void *job)
{
	marks(NULL, 1);
	job_run(job);
	return NULL;
}

/*
 * The second half of the job runs on another thread. The marks of this half are
 * marks of that thread.
 */
Test(frames, marked_in_a_fiber_are_the_thread_s)
{
	struct job job;
	uint64_t first;

	selfmon_frame_mark(NULL);
	first = last_mark();
	job_make(&job, "fiber", mark_and_pause);
	job_run(&job);
	cr_expect_eq(recorded()->ticks.sum, last_mark() - first);
	cr_expect_eq(selfmon_stats_visits(recorded()), 2);
	in_a_thread(run_job, &job);
	cr_expect_eq(selfmon_stats_visits(recorded()), 2);
	job_end(&job);
	cr_expect_eq(frames_of("frame"), 4);
}

static void *mark_and_count(void *unused)
{
	const int before = holds_events_from(0);

	selfmon_frame_mark(NULL);
	cr_expect_gt(holds_events_from(0), before);
	return unused;
}

/*
 * The kernel records a thread's context switches only while its events are
 * open. So a mark opens the events, even if the thread has visited no region.
 */
Test(frames, of_a_thread_open_its_events)
{
	configure("page-faults", 1);
	in_a_thread(mark_and_count, NULL);
}

/* ---- switched off -------------------------------------------------------- */

static void switch_off(bool mark)
{
	const bool was = selfmon_enable(false);

	if (mark)
		marks(NULL, 2);
	selfmon_enable(was);
}

Test(frames, in_which_regions_were_off_are_left_out)
{
	marks(NULL, 3);
	switch_off(true);
	cr_expect_eq(frames_of("frame"), 2);
	marks(NULL, 1);
	cr_expect_eq(frames_of("frame"), 2);
	marks(NULL, 1);
	cr_expect_eq(frames_of("frame"), 3);
	switch_off(false);
	marks(NULL, 2);
	cr_expect_eq(frames_of("frame"), 4);
	cr_expect_eq(frames_of("frame"), 4);
}

/* ---- fork ---------------------------------------------------------------- */

Test(frames, of_the_parent_do_not_go_on_in_a_child)
{
	int status;
	pid_t child;

	marks(NULL, 3);
	child = fork();
	if (child == 0) {
		marks(NULL, 1);
		if (frames_of("frame") != 0)
			_exit(1);
		marks(NULL, 1);
		_exit(frames_of("frame") != 1);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_expect_eq(status, 0);
	marks(NULL, 1);
	cr_expect_eq(frames_of("frame"), 3);
}

/* ---- the call tree ------------------------------------------------------- */

Test(frames, end_inside_of_regions_and_around_them)
{
	struct selfmon_report *report;
	uint64_t first;
	int i;

	selfmon_frame_mark(NULL);
	first = last_mark();
	SELFMON_REGION("game")
		for (i = 0; i < 10; i++)
			SELFMON_REGION("tick") {
				SELFMON_REGION("simulate");
				selfmon_frame_mark(NULL);
				SELFMON_REGION("draw");
			}
	report = rows_take();
	cr_expect_eq(recorded()->ticks.sum, last_mark() - first);
	cr_expect_eq(row_in(report, "frame")->visits, 10);
	cr_expect_eq(selfmon_report_row_count(report), 4);
	cr_expect_eq(ROWS_GET(report, "game", "tick")->visits, 10);
	cr_expect(ROWS_GET(report, "game", "tick")->exclusive_valid);
	cr_expect_eq(ROWS_GET(report, "game", "tick", "draw")->visits, 10);
	cr_expect_eq(report->total_ns, ROWS_GET(report, "game")->time.net);
	selfmon_report_free(report);
}

/* ---- reports ------------------------------------------------------------- */

Test(frames, are_in_every_format)
{
	struct selfmon_async_span span;
	struct selfmon_report *report;

	marks("turn", 4);
	report = rows_take();
	cr_expect(rows_say(report, SELFMON_TEXT, "Frames: "));
	cr_expect(rows_say(report, SELFMON_TEXT, "frames per second"));
	cr_expect(rows_say(report, SELFMON_TEXT, "turn                 3"));
	cr_expect_not(rows_say(report, SELFMON_TEXT, "Detached spans"));
	cr_expect(rows_say(report, SELFMON_JSON, "\"frames\": 3"));
	cr_expect(rows_say(report, SELFMON_CSV, ",frame,0,"));
	selfmon_report_free(report);
	selfmon_async_begin(selfmon_region("request"), &span);
	SELFMON_REGION("visit");
	report = rows_take();
	cr_expect(rows_say(report, SELFMON_TEXT, "Frames: "));
	cr_expect(rows_say(report, SELFMON_TEXT, "Detached spans"));
	cr_expect(rows_say(report, SELFMON_TEXT, "request              0"));
	cr_expect(rows_say(report, SELFMON_CSV, ",span,0,"));
	selfmon_report_free(report);
}

Test(frames, belong_to_the_interval_in_which_they_end)
{
	struct selfmon_report *before, *after, *interval;

	marks(NULL, 4);
	before = rows_take();
	marks(NULL, 5);
	after = rows_take();
	cr_assert_eq(selfmon_report_subtract(after, before, &interval), 0);
	cr_expect_eq(row_in(interval, "frame")->visits, 5);
	selfmon_report_free(interval);
	selfmon_report_free(after);
	selfmon_report_free(before);
}

static void frames_and_death(void)
{
	marks(NULL, 4);
	raise(SIGKILL);
}

Test(frames, of_a_killed_process_are_in_its_live_file, .init = setup,
     .fini = teardown)
{
	struct selfmon_report *report;

	run(frames_and_death);
	report = read_back(path);
	cr_assert_not_null(row_in(report, "frame"));
	cr_expect_eq(row_in(report, "frame")->visits, 3);
	cr_expect(says(report, "Frames: "));
	selfmon_report_free(report);
}

/* ---- handlers ------------------------------------------------------------ */

#ifdef __x86_64__

static sigjmp_buf out;
static volatile int steps;
static volatile uint64_t nested;

static void step_by_step(void)
{
	__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::
				 : "memory", "cc");
	selfmon_frame_mark(NULL);
	__asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::
				 : "memory", "cc");
}

static void nest(int number)
{
	(void)number;
	nested++;
	selfmon_frame_mark(NULL);
}

/*
 * The handler's marks end frames, too. If the interrupted mark had already read
 * the start of its frame, the interrupted mark is dropped: only the handler's
 * mark counts.
 */
Test(frames, add_up_with_a_mark_in_a_handler_at_each_instruction)
{
	uint64_t first;
	int i;

	SKIP_IF_SANITIZED("it makes too many steps of one");
	selfmon_frame_mark(NULL);
	first = last_mark();
	selfmon_frame_mark(NULL); /* a new maximum takes another path */
	signal(SIGTRAP, nest);
	for (i = 0; i < 10; i++)
		step_by_step();
	signal(SIGTRAP, SIG_DFL);
	cr_expect_gt(nested, 400);
	cr_expect_eq(recorded()->rare[SELFMON_RARE_IMPOSSIBLE], 0);
	cr_expect_eq(recorded()->ticks.sum, last_mark() - first);
	cr_expect_eq(frames_of("frame"), nested + 1);
}

static void jump_out(int number)
{
	(void)number;
	if (--steps == 0)
		siglongjmp(out, 1);
}

static bool jump_after(int instructions)
{
	steps = instructions;
	if (sigsetjmp(out, 1))
		return true;
	step_by_step();
	return false;
}

/* A jump loses at most the frame that the interrupted mark was ending. */
Test(frames, go_on_after_a_jump_at_each_instruction)
{
	uint64_t before;
	bool jumped;
	int i = 0;

	SKIP_IF_SANITIZED("it makes too many steps of one");
	marks(NULL, 10);
	signal(SIGTRAP, jump_out);
	do {
		before = selfmon_stats_visits(recorded());
		jumped = jump_after(++i);
		marks(NULL, 2);
		cr_assert_geq(selfmon_stats_visits(recorded()), before + 2);
		cr_assert_leq(selfmon_stats_visits(recorded()), before + 3);
	} while (jumped);
	signal(SIGTRAP, SIG_DFL);
	cr_expect_gt(i, 40);
}

#endif
