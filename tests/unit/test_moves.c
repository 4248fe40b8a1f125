/* SPDX-License-Identifier: MIT */
/*
 * Tests functions of a fiber that begin on one thread and end on another. After
 * the move, the compiled code must not use addresses that it computed on the
 * first thread.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <pthread.h>

#include "kernel/fibers.h"
#include "rows.h"
#include "unit/moves.h"

#define MOVES 100

static void *run(void *job)
{
	job_run(job);
	return NULL;
}

/*
 * Runs the function in two threads that exist at the same time. If the first
 * thread had ended, the second one could get the same thread pointer.
 */
static void run_in_two_threads(struct job *job)
{
	pthread_t thread;

	while (!job->done) {
		job_run(job);
		cr_assert_eq(pthread_create(&thread, NULL, run, job), 0);
		pthread_join(thread, NULL);
	}
	job_end(job);
}

static void *self[2];

static void move_pointer(struct job *job)
{
	moves_pointer(job, job_pause, self);
}

Test(moves, the_thread_pointer_is_loaded_after_a_move)
{
	struct job job;

	job_make(&job, "job", move_pointer);
	run_in_two_threads(&job);
	cr_assert_eq(self[0], selfmon_arch_thread_pointer());
	cr_assert_neq(self[1], self[0]);
}

static struct selfmon_counters *set;
static bool own[2];

static void move_owner(struct job *job)
{
	moves_owner(job, job_pause, set, own);
}

Test(moves, a_set_is_the_thread_s_that_opened_it_alone)
{
	struct selfmon_counters mine = { 0 };
	struct job job;

	mine.owner = selfmon_arch_thread_pointer();
	set = &mine;
	job_make(&job, "job", move_owner);
	run_in_two_threads(&job);
	cr_assert(own[0]);
	cr_assert_not(own[1]);
}

static void move_regions(struct job *job)
{
	int i;

	for (i = 0; i < MOVES; i++) {
		moves_region(job, job_pause);
		moves_frame(job, job_pause, selfmon_region("frame"));
	}
}

static void expect(const struct selfmon_row *row, uint64_t suspended)
{
	cr_assert_eq(row->visits, MOVES, "%s", row->name);
	cr_assert_eq(row->suspended, suspended, "%s", row->name);
	cr_assert_eq(row->open + row->cut_off + row->overlapped + row->lost +
			     row->switched, 0, "%s", row->name);
}

Test(moves, regions_end_on_the_thread_that_they_moved_to)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	struct selfmon_report *report;
	struct job job;

	options.events = "none";
	cr_assert_eq(selfmon_configure(&options), 0);
	job_make(&job, "job", move_regions);
	run_in_two_threads(&job);
	report = rows_take();
	rows_check(report);
	expect(ROWS_GET(report, "job", "moved"), MOVES);
	expect(ROWS_GET(report, "job", "moved", "first"), 0);
	expect(ROWS_GET(report, "job", "moved", "second"), 0);
	expect(ROWS_GET(report, "job", "frame"), MOVES);
	cr_assert_eq(ROWS_GET(report, "job")->visits, 1);
	selfmon_report_free(report);
}
