/* SPDX-License-Identifier: MIT */
/* Tests fibers that move from one thread to another, or whose thread ends. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/resource.h>

#include "kernel/fiber_work.h"
#include "kernel/quantiles.h"
#include "store/self.h"

#define THREADS 4
#define JOBS 100
#define MOVES 40

static struct job jobs[JOBS];
static atomic_int next_turn, done;
static atomic_flag taken[JOBS];

/* A fiber's function. Any thread may resume it after each pause. */
static void move_about(struct job *job)
{
	int i;

	for (i = 0; i < MOVES; i++)
		SELFMON_REGION("moved") {
			fault(1 + job->n % 3);
			selfmon_region_count(rows_unit, job->n);
			job_pause(job);
			fault(1);
			selfmon_region_count(rows_unit, 1);
		}
}

static void *serve(void *unused)
{
	while (atomic_load(&done) < JOBS) {
		const int i = atomic_fetch_add(&next_turn, 1) % JOBS;

		if (atomic_flag_test_and_set(&taken[i]))
			continue;
		if (jobs[i].done) {
			atomic_flag_clear(&taken[i]);
			continue;
		}
		SELFMON_REGION("turn")
			job_run(&jobs[i]);
		if (jobs[i].done)
			atomic_fetch_add(&done, 1);
		atomic_flag_clear(&taken[i]);
	}
	return unused;
}

static void serve_by_threads(void)
{
	pthread_t thread[THREADS];
	int i;

	for (i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL, serve, NULL), 0);
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (i = 0; i < JOBS; i++)
		job_end(&jobs[i]);
}

Test(fibers, may_go_on_in_another_thread_with_exact_counts, .timeout = 120)
{
	uint64_t faults = 0, rows = 0, i;
	struct selfmon_report_unit unit;
	struct selfmon_report *report;
	const struct selfmon_row *row;

	choose("page-faults");
	warm();
	for (i = 0; i < JOBS; i++) {
		job_make(&jobs[i], "job", move_about);
		jobs[i].n = i;
		faults += MOVES * (1 + i % 3 + 1);
		rows += MOVES * (i + 1);
	}
	serve_by_threads();
	report = rows_take();
	rows_check(report);
	row = ROWS_GET(report, "job", "moved");
	cr_assert_eq(row->visits, JOBS * MOVES);
	cr_assert_eq(row->suspended, JOBS * MOVES);
	cr_assert_eq(row->open + row->cut_off + row->lost + row->overlapped, 0);
	unit = rows_counted(report, row, "rows");
	cr_assert_eq(unit.sum, rows);
	cr_assert_eq(unit.min, 1);
	cr_assert_eq(unit.max, JOBS);
	expect_faults(row, faults);
	cr_assert_eq(ROWS_GET(report, "job")->visits, JOBS);
	selfmon_report_free(report);
}

static sem_t may_run[2];
static int at_other_places;

/*
 * Returns true if exactly two visits are open, both at nodes of the running
 * thread: only the thread of a node writes its statistics. Not inlined: a
 * caller that moves to another thread could reuse the address of a thread-local
 * variable.
 */
static __attribute__((noinline)) bool are_own_places(void)
{
	const struct selfmon_thread *const thread = selfmon_thread_self();
	const struct selfmon_visit *open;

	for (open = thread->top; open > thread->open; open--)
		if (open->node->thread != thread->record->number)
			return false;
	return thread->top == thread->open + 2;
}

static void move_to_and_fro(struct job *job)
{
	SELFMON_REGION("moved")
		while (job->n-- > 0) {
			job_pause(job);
			at_other_places += !are_own_places();
		}
}

/*
 * From the third turn on, both threads have run the fiber before. A switch to
 * the fiber then takes the general path only because the other thread ran it
 * last.
 */
static void *run_by_turns(void *which)
{
	const int own = *(int *)which;
	uint64_t i;

	for (i = 0; i < MOVES / 2; i++) {
		sem_wait(&may_run[own]);
		job_run(&jobs[0]);
		sem_post(&may_run[!own]);
	}
	return NULL;
}

static void run_in_turn_by_threads(const char *events)
{
	int which[2] = { 0, 1 }, i;
	struct selfmon_report *report;
	const struct selfmon_row *row;
	pthread_t thread[2];

	choose(events);
	job_make(&jobs[0], "job", move_to_and_fro);
	jobs[0].n = MOVES - 1;
	sem_init(&may_run[0], 0, 1);
	sem_init(&may_run[1], 0, 0);
	for (i = 0; i < 2; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL, run_by_turns,
					    &which[i]), 0);
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	cr_assert(jobs[0].done);
	job_end(&jobs[0]);
	cr_assert_eq(at_other_places, 0);
	report = rows_take();
	row = ROWS_GET(report, "job", "moved");
	cr_assert_eq(row->visits, 1);
	cr_assert_eq(row->suspended, MOVES - 1);
	cr_assert_eq(row->open + row->cut_off + row->lost, 0);
	selfmon_report_free(report);
}

Test(fibers, go_on_at_places_of_the_thread_that_runs_them)
{
	run_in_turn_by_threads("none");
}

Test(fibers, go_on_there_with_counters_too)
{
	run_in_turn_by_threads("page-faults");
}

/* Counts in three parts, so each visit is suspended twice. */
static void count_about(struct job *job)
{
	uint64_t i;

	for (i = job->n * MOVES; i < (job->n + 1) * MOVES; i++)
		SELFMON_REGION("moved") {
			quantiles_count(i, 0, 3);
			job_pause(job);
			quantiles_count(i, 1, 3);
			job_pause(job);
			quantiles_count(i, 2, 3);
		}
}

Test(fibers, percentiles_of_units_are_of_whole_visits, .timeout = 120)
{
	struct selfmon_report *report;
	const struct selfmon_row *row;
	uint64_t i;

	choose("none");
	quantiles_start();
	for (i = 0; i < JOBS; i++) {
		job_make(&jobs[i], "job", count_about);
		jobs[i].n = i;
	}
	serve_by_threads();
	report = rows_take();
	row = ROWS_GET(report, "job", "moved");
	cr_assert_eq(row->suspended, 2 * JOBS * MOVES);
	quantiles_expect(report, row, JOBS * MOVES);
	selfmon_report_free(report);
}

/* Runs the first job to its end, and the second until it pauses. */
static void *run_some(void *two)
{
	struct job *const job = two;

	job_run(&job[0]);
	job_run(&job[0]);
	job_run(&job[1]);
	return NULL;
}

static void in_thread(void *(*what)(void *), void *argument)
{
	pthread_t thread;

	cr_assert_eq(pthread_create(&thread, NULL, what, argument), 0);
	pthread_join(thread, NULL);
}

/*
 * The thread on which both fibers began exits. The main thread continues the
 * second fiber, whose visits are still open.
 */
Test(fibers, outlive_the_thread_that_began_them)
{
	struct selfmon_report *report;
	const struct selfmon_row *row;
	struct job job[2];
	int i;

	choose("none");
	for (i = 0; i < 2; i++)
		job_make(&job[i], "job", pause_once);
	SELFMON_REGION("main") /* gives this thread a state of its own */
		fault(1);
	in_thread(run_some, job);
	job_run(&job[1]);
	for (i = 0; i < 2; i++)
		job_end(&job[i]);
	report = rows_take();
	row = ROWS_GET(report, "job", "request", "read");
	cr_assert_eq(row->visits, 2);
	/* Each visit is in the statistics of the thread on which it ended. */
	cr_assert_eq(row->threads, 2);
	cr_assert_eq(ROWS_GET(report, "job")->visits, 2);
	cr_assert_eq(ROWS_GET(report, "job")->open, 0);
	selfmon_report_free(report);
}

static void *run_without_events(void *job)
{
	struct rlimit limit;
	rlim_t before;

	getrlimit(RLIMIT_NOFILE, &limit);
	before = limit.rlim_cur;
	limit.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &limit);
	job_run(job);
	limit.rlim_cur = before;
	setrlimit(RLIMIT_NOFILE, &limit);
	return NULL;
}

/* The fiber begins on a thread without events and ends on one with events. */
Test(fibers, that_move_to_a_thread_with_other_events_lose_their_counts)
{
	struct selfmon_report *report;
	const struct selfmon_row *row;
	struct job job;

	choose("page-faults");
	warm();
	job_make(&job, "job", pause_once);
	in_thread(run_without_events, &job);
	job_run(&job);
	job_end(&job);
	report = rows_take();
	row = ROWS_GET(report, "job", "request", "read");
	cr_assert_eq(row->visits, 1);
	cr_assert_eq(row->lost, 1);
	cr_assert_eq(row->counter[0].verdict, SELFMON_NOT_COUNTED);
	selfmon_report_free(report);
}

static void *end_inside(void *fiber)
{
	SELFMON_REGION("own") {
		selfmon_fiber_switch(fiber);
		SELFMON_REGION("inside")
			pthread_exit(NULL);
	}
	return NULL;
}

Test(fibers, are_cut_off_with_the_thread_that_runs_them)
{
	struct selfmon_fiber *const fiber = selfmon_fiber_create("job");
	struct selfmon_report *report;

	choose("none");
	in_thread(end_inside, fiber);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "own")->cut_off, 1);
	cr_assert_eq(ROWS_GET(report, "own")->open, 0);
	cr_assert_eq(ROWS_GET(report, "job")->cut_off, 1);
	cr_assert_eq(ROWS_GET(report, "job", "inside")->cut_off +
			     ROWS_GET(report, "job", "inside")->visits, 1);
	selfmon_report_free(report);
	/* The next thread reuses the ended thread's state, not its fiber. */
	in_thread(end_inside, selfmon_fiber_create("job"));
	selfmon_fiber_destroy(fiber);
}
