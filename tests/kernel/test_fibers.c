/* SPDX-License-Identifier: MIT */
/*
 * Tests fibers: their regions count what ran on the fiber's stack, on any
 * thread.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/fibers.h"
#include "kernel/quantiles.h"
#include "report/model.h"
#include "rows.h"
#include "sanitizer.h"
#include "store/self.h"

static const struct selfmon_unit *rows_unit;

static void choose(const char *events)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = events;
	cr_assert_eq(selfmon_configure(&options), 0);
	rows_unit = selfmon_unit("rows");
}

/* A page fault each. */
static void fault(uint64_t pages)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *const map = mmap(NULL, pages * size,
					PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t i;

	madvise((void *)(uintptr_t)map, pages * size, MADV_NOHUGEPAGE);
	for (i = 0; i < pages; i++)
		map[i * size] = 1;
	munmap((void *)(uintptr_t)map, pages * size);
}

/* ---- one thread --------------------------------------------------------- */

#define TURNS 50

static void fault_in_turns(struct job *job)
{
	uint64_t i;

	for (i = 0; i < TURNS; i++)
		SELFMON_REGION("request") {
			fault(job->n);
			SELFMON_REGION("read") {
				fault(1);
				job_pause(job);
				fault(1);
			}
		}
}

static void run_in_turns(struct job *job, int jobs)
{
	bool any = true;
	int i;

	while (any) {
		any = false;
		for (i = 0; i < jobs; i++) {
			if (job[i].done)
				continue;
			SELFMON_REGION("turn")
				job_run(&job[i]);
			any = true;
		}
	}
}

/* Runs the jobs once, so that their code and memory are in use. */
static void warm(void)
{
	struct job job;

	job_make(&job, "warm", fault_in_turns);
	job.n = 1;
	SELFMON_REGION("warm, around")
		run_in_turns(&job, 1);
	job_end(&job);
}

/* Allows a few additional faults, which the kernel or a sanitizer may cause. */
static void expect_faults(const struct selfmon_row *row, uint64_t faults)
{
	cr_assert_eq(row->counter[0].verdict, SELFMON_SYSCALL);
	cr_assert_eq(row->counter[0].visits, row->visits);
	cr_assert_geq(row->counter[0].sum, faults);
	if (!SANITIZED)
		cr_assert_leq(row->counter[0].sum, faults + 10,
			      "%llu of %llu",
			      (unsigned long long)row->counter[0].sum,
			      (unsigned long long)faults);
}

Test(fibers, count_the_events_of_what_ran_on_their_own_stack)
{
	struct selfmon_report *report;
	const struct selfmon_row *row;
	struct job job[2];
	int i;

	choose("page-faults");
	warm();
	job_make(&job[0], "small", fault_in_turns);
	job_make(&job[1], "large", fault_in_turns);
	job[0].n = 3;
	job[1].n = 7;
	SELFMON_REGION("loop")
		run_in_turns(job, 2);
	for (i = 0; i < 2; i++)
		job_end(&job[i]);
	report = rows_take();
	rows_check(report);
	row = ROWS_GET(report, "small", "request");
	cr_assert_eq(row->visits, TURNS);
	expect_faults(row, TURNS * (3 + 2));
	row = ROWS_GET(report, "large", "request");
	expect_faults(row, TURNS * (7 + 2));
	row = ROWS_GET(report, "large", "request", "read");
	expect_faults(row, TURNS * 2);
	cr_assert_eq(row->suspended, TURNS);
	cr_assert_gt(row->suspended_ns, 0);
	cr_assert_eq(row->cut_off + row->overlapped + row->switched, 0);
	/* The visits of the thread itself do not include what the jobs did. */
	row = ROWS_GET(report, "loop", "turn");
	cr_assert_eq(row->visits, 2 * (TURNS + 1));
	expect_faults(row, 0);
	cr_assert_null(ROWS_FIND(report, "loop", "turn", "request"));
	row = ROWS_GET(report, "large");
	cr_assert_eq(row->visits, 1);
	cr_assert_eq(row->open, 0);
	cr_assert_eq(row->suspended, TURNS + 1);
	expect_faults(row, TURNS * (7 + 2));
	selfmon_report_free(report);
}

Test(fibers, have_the_time_of_what_ran_and_that_between_beside_it)
{
	struct selfmon_report *report;
	const struct selfmon_row *own, *read;
	struct job job[2];
	int i;

	choose("none");
	warm();
	for (i = 0; i < 2; i++) {
		job_make(&job[i], "job", fault_in_turns);
		job[i].n = 1;
	}
	SELFMON_REGION("loop")
		run_in_turns(job, 2);
	for (i = 0; i < 2; i++)
		job_end(&job[i]);
	report = rows_take();
	rows_check(report);
	own = ROWS_GET(report, "job");
	read = ROWS_GET(report, "job", "request", "read");
	cr_assert_eq(own->visits, 2);
	cr_assert_eq(read->visits, 2 * TURNS);
	cr_assert_leq(read->time.sum, own->time.sum);
	cr_assert_leq(read->suspended_ns, own->suspended_ns);
	/* While one fiber is suspended the other one runs. */
	cr_assert_geq(own->suspended_ns + own->suspended, read->time.sum / 2);
	cr_assert(rows_say(report, SELFMON_TEXT, "Suspended while others ran"));
	cr_assert(rows_say(report, SELFMON_CSV, ",suspended,suspended_ns,"));
	cr_assert(rows_say(report, SELFMON_JSON, "\"suspended\": 50, "));
	selfmon_report_free(report);
}

static void count_in_turns(struct job *job)
{
	uint64_t i;

	for (i = 0; i < TURNS; i++)
		SELFMON_REGION("request") {
			selfmon_region_count(rows_unit, job->n);
			job_pause(job);
			selfmon_region_count(rows_unit, 1);
		}
}

/* All fibers are open at the same node. */
Test(fibers, count_the_units_of_each_visit)
{
	struct selfmon_report *report;
	struct selfmon_report_unit unit;
	struct job job[3];
	int i;

	choose("none");
	for (i = 0; i < 3; i++) {
		job_make(&job[i], "job", count_in_turns);
		job[i].n = (uint64_t)(10 << 4 * i);
	}
	run_in_turns(job, 3);
	for (i = 0; i < 3; i++)
		job_end(&job[i]);
	report = rows_take();
	unit = rows_counted(report, ROWS_GET(report, "job", "request"),
			    "rows");
	cr_assert_eq(unit.sum, TURNS * (10 + 160 + 2560 + 3));
	cr_assert_eq(unit.visits, TURNS * 3);
	cr_assert_eq(unit.min, 11);
	cr_assert_eq(unit.max, 2561);
	selfmon_report_free(report);
}

static void nest(struct job *job, int depth)
{
	SELFMON_REGION("deeper") {
		if (depth > 1)
			nest(job, depth - 1);
		else
			job_pause(job);
	}
}

static void nest_in_turns(struct job *job)
{
	int i;

	for (i = 0; i < 3; i++)
		nest(job, (int)job->n);
}

Test(fibers, may_be_suspended_at_any_depth)
{
	struct selfmon_report *report;
	uint64_t visits = 0;
	struct job job[2];
	size_t i;

	choose("none");
	job_make(&job[0], "job", nest_in_turns);
	job_make(&job[1], "job", nest_in_turns);
	job[0].n = 1;
	job[1].n = 50;
	run_in_turns(job, 2);
	job_end(&job[0]);
	job_end(&job[1]);
	report = rows_take();
	for (i = 0; i < selfmon_report_row_count(report); i++) {
		const struct selfmon_row *const row =
			selfmon_report_row(report, i);

		cr_assert_eq(row->cut_off + row->open, 0);
		if (!strcmp(row->name, "deeper"))
			visits += row->visits;
	}
	cr_assert_eq(visits, 3 * (1 + 50));
	selfmon_report_free(report);
}

static void pause_once(struct job *job)
{
	SELFMON_REGION("request")
		SELFMON_REGION("read")
			job_pause(job);
}

Test(fibers, that_are_suspended_have_their_visits_open)
{
	struct selfmon_report *report;
	struct job job[3];
	int i;

	choose("none");
	for (i = 0; i < 3; i++) {
		job_make(&job[i], "job", pause_once);
		job_run(&job[i]);
	}
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "job")->open, 3);
	cr_assert_eq(ROWS_GET(report, "job", "request", "read")->open, 3);
	cr_assert_not(ROWS_GET(report, "job")->exclusive_valid);
	selfmon_report_free(report);
	for (i = 0; i < 2; i++) {
		job_run(&job[i]);
		job_end(&job[i]);
	}
	/* The third fiber is destroyed while it is suspended. */
	job_end(&job[2]);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "job")->open, 0);
	cr_assert_eq(ROWS_GET(report, "job")->visits, 3);
	cr_assert_eq(ROWS_GET(report, "job", "request")->open, 0);
	cr_assert_eq(ROWS_GET(report, "job", "request")->visits, 2);
	cr_assert_eq(ROWS_GET(report, "job", "request")->cut_off, 1);
	cr_assert_eq(ROWS_GET(report, "job", "request", "read")->cut_off, 1);
	selfmon_report_free(report);
}

static struct selfmon_report *report_of_file(pid_t pid)
{
	struct selfmon_failure failure = { .error = 0 };
	struct selfmon_report *report = NULL;
	char path[64];

	snprintf(path, sizeof(path), "/dev/shm/selfmon-test-fibers-%d", pid);
	cr_assert_eq(selfmon_report_open(path, &report, &failure), 0, "%s",
		     failure.message);
	unlink(path);
	return report;
}

/*
 * Two fibers are suspended, and a third one runs below a region of the thread.
 */
static void suspend_with_live_file(void)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	static struct selfmon_frame frame[2];
	static struct job job[3];
	int i;

	options.events = "none";
	options.live = "/dev/shm/selfmon-test-fibers-%p";
	options.output = NULL;
	cr_assert_eq(selfmon_configure(&options), 0);
	for (i = 0; i < 3; i++)
		job_make(&job[i], "job", pause_once);
	for (i = 0; i < 2; i++)
		job_run(&job[i]);
	job_run(&job[2]);
	job_run(&job[2]); /* the job runs to its end */
	selfmon_enter(selfmon_region("loop"), &frame[0]);
	selfmon_fiber_switch(job[2].fiber);
	selfmon_enter(selfmon_region("runs"), &frame[1]);
}

static void expect_all_open(const struct selfmon_report *report)
{
	const struct selfmon_row *row = ROWS_GET(report, "job");

	cr_assert_eq(row->open, 3);
	cr_assert_not(row->exclusive_valid);
	row = ROWS_GET(report, "job", "request", "read");
	cr_assert_eq(row->open, 2);
	cr_assert_eq(row->visits, 1);
	cr_assert_eq(row->suspended, 1);
	cr_assert_eq(ROWS_GET(report, "job", "runs")->open, 1);
	cr_assert_eq(ROWS_GET(report, "loop")->open, 1);
}

Test(fibers, that_are_suspended_have_their_visits_open_in_a_live_file)
{
	struct selfmon_report *report;

	suspend_with_live_file();
	report = rows_take();
	expect_all_open(report);
	selfmon_report_free(report);
	report = report_of_file(getpid());
	expect_all_open(report);
	cr_assert(rows_say(report, SELFMON_JSON, "\"open\": 3, "));
	selfmon_report_free(report);
}

Test(fibers, of_a_killed_process_have_their_visits_open_in_its_live_file)
{
	struct selfmon_report *report;
	int status;
	pid_t pid;

	pid = fork();
	if (pid == 0) {
		suspend_with_live_file();
		raise(SIGKILL);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	report = report_of_file(pid);
	expect_all_open(report);
	selfmon_report_free(report);
}

Test(fibers, one_visit_in_n_of_which_is_measured_are_all_counted)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	struct selfmon_report *report;
	const struct selfmon_row *row;
	struct job job[2];
	int i;

	options.events = "none";
	options.every = 4;
	cr_assert_eq(selfmon_configure(&options), 0);
	for (i = 0; i < 2; i++) {
		job_make(&job[i], "job", fault_in_turns);
		job[i].n = 1;
	}
	run_in_turns(job, 2);
	for (i = 0; i < 2; i++)
		job_end(&job[i]);
	report = rows_take();
	row = ROWS_GET(report, "job", "request", "read");
	cr_assert_eq(row->visits, 2 * TURNS);
	cr_assert_lt(row->measured, TURNS);
	cr_assert_eq(ROWS_GET(report, "job")->visits, 2);
	selfmon_report_free(report);
}

/* ---- threads ------------------------------------------------------------ */

#define THREADS 4
#define JOBS 100
#define MOVES 40

static struct job jobs[JOBS];
static atomic_int next_turn, done;
static atomic_flag taken[JOBS];

/* A function that begins on one thread and ends on another. */
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
 * A node belongs to one thread, and only this thread writes its statistics. Not
 * inlined: a caller that moves to another thread could reuse the address of a
 * thread-local variable.
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
 * Both threads have run the fiber before, so only the change of threads needs
 * the general path.
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

/* The thread on which the fibers began has ended before they end. */
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
	/* The next thread takes over the state, but not the fiber. */
	in_thread(end_inside, selfmon_fiber_create("job"));
	selfmon_fiber_destroy(fiber);
}

/* ---- misuse ------------------------------------------------------------- */

static atomic_int runs, may_end;

static void *run_and_wait(void *fiber)
{
	selfmon_fiber_switch(fiber);
	atomic_store(&runs, 1);
	while (!atomic_load(&may_end))
		usleep(100);
	SELFMON_REGION("inside")
		atomic_load(&runs);
	selfmon_fiber_switch(NULL);
	return NULL;
}

static bool has_note(const struct selfmon_report *report, const char *words)
{
	const size_t notes = selfmon_report_note_count(report);
	size_t i;

	for (i = 0; i < notes; i++)
		if (strstr(selfmon_report_note(report, i), words))
			return true;
	return false;
}

Test(fibers, are_run_by_one_thread_at_a_time)
{
	struct selfmon_fiber *const fiber = selfmon_fiber_create("job");
	struct selfmon_report *report;
	pthread_t thread;

	choose("none");
	cr_assert_eq(pthread_create(&thread, NULL, run_and_wait, fiber), 0);
	while (!atomic_load(&runs))
		usleep(100);
	SELFMON_REGION("own") {
		selfmon_fiber_switch(fiber);
		SELFMON_REGION("lost")
			atomic_load(&runs);
		selfmon_fiber_switch(NULL);
		SELFMON_REGION("found")
			selfmon_fiber_destroy(fiber); /* left alone */
	}
	atomic_store(&may_end, 1);
	pthread_join(thread, NULL);
	selfmon_fiber_destroy(fiber);
	report = rows_take();
	cr_assert(has_note(report, "while another thread runs it"));
	cr_assert_null(ROWS_FIND(report, "own", "lost"));
	cr_assert_eq(report->unready, 1);
	cr_assert_eq(ROWS_GET(report, "own")->visits, 1);
	cr_assert_eq(ROWS_GET(report, "own", "found")->visits, 1);
	cr_assert_eq(ROWS_GET(report, "job")->visits, 1);
	cr_assert_eq(ROWS_GET(report, "job", "inside")->visits, 1);
	selfmon_report_free(report);
}

/* A scheduler's loop passes NULL for the thread's own stack. */
Test(fibers, without_memory_may_be_used)
{
	struct selfmon_report *report;

	choose("none");
	selfmon_fiber_switch(NULL);
	SELFMON_REGION("own") {
		selfmon_fiber_switch(NULL);
		selfmon_fiber_destroy(NULL);
	}
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "own")->visits, 1);
	cr_assert_eq(ROWS_GET(report, "own")->suspended, 0);
	selfmon_report_free(report);
}

Test(fibers, that_are_destroyed_while_they_run_are_recorded)
{
	struct selfmon_fiber *fiber = selfmon_fiber_create("job");
	struct selfmon_report *report;

	choose("none");
	SELFMON_REGION("own") {
		selfmon_fiber_switch(fiber);
		selfmon_fiber_destroy(fiber);
		SELFMON_REGION("lost")
			atomic_load(&runs);
		selfmon_fiber_switch(NULL);
		SELFMON_REGION("found")
			atomic_load(&runs);
	}
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "job")->visits, 1);
	cr_assert_eq(ROWS_GET(report, "own")->visits, 1);
	cr_assert_eq(ROWS_GET(report, "own", "found")->visits, 1);
	cr_assert_eq(report->unready, 1);
	selfmon_report_free(report);
}

/* Waits ten times as long as the fiber ran. */
static uint64_t wait_after(uint64_t begin, uint64_t end)
{
	uint64_t now;

	do
		now = selfmon_clock_ticks();
	while (now - end < 10 * (end - begin));
	return now;
}

Test(fibers, that_are_destroyed_while_suspended_have_the_time_until_then)
{
	struct selfmon_fiber *fiber;
	struct selfmon_report *report;
	uint64_t ran, end, now, ns;

	choose("none");
	warm();
	fiber = selfmon_fiber_create("job");
	ran = selfmon_clock_ticks();
	selfmon_fiber_switch(fiber);
	SELFMON_REGION("inside")
		atomic_load(&runs);
	selfmon_fiber_switch(NULL);
	end = selfmon_clock_ticks();
	now = wait_after(ran, end);
	selfmon_fiber_destroy(fiber);
	ran = end - ran + selfmon_clock_ticks() - now;
	report = rows_take();
	ns = selfmon_clock_ns(selfmon_clock(), ran);
	/* The clock's estimate of its rate may have changed. */
	cr_assert_leq(ROWS_GET(report, "job")->time.sum, ns + ns / 100 + 1);
	selfmon_report_free(report);
}

/* ---- fork --------------------------------------------------------------- */

static void visit_in_child(void)
{
	SELFMON_REGION("child")
		atomic_load(&runs);
}

static int in_child(struct selfmon_fiber *fiber)
{
	struct selfmon_report *report;

	selfmon_fiber_switch(NULL);
	visit_in_child();
	selfmon_fiber_switch(fiber);
	SELFMON_REGION("lost")
		atomic_load(&runs);
	selfmon_fiber_switch(NULL);
	visit_in_child();
	selfmon_fiber_destroy(fiber);
	fiber = selfmon_fiber_create("own");
	selfmon_fiber_switch(fiber);
	selfmon_fiber_switch(NULL);
	selfmon_fiber_destroy(fiber);
	if (selfmon_report_take(&report))
		return 1;
	if (ROWS_FIND(report, "parent") || ROWS_FIND(report, "job") ||
	    ROWS_FIND(report, "lost"))
		return 2;
	if (ROWS_GET(report, "child")->visits != 2)
		return 3;
	if (report->unready != 1)
		return 5;
	return ROWS_GET(report, "own")->visits == 1 ? 0 : 4;
}

Test(fibers, are_not_there_in_a_forked_child)
{
	struct selfmon_fiber *const fiber = selfmon_fiber_create("job");
	struct selfmon_report *report;
	int status;
	pid_t pid;

	choose("none");
	SELFMON_REGION("parent") {
		selfmon_fiber_switch(fiber);
		SELFMON_REGION("inside") {
			pid = fork();
			if (pid == 0)
				_exit(in_child(fiber));
			cr_assert_eq(waitpid(pid, &status, 0), pid);
			cr_assert_eq(status, 0, "status %x", status);
		}
		selfmon_fiber_switch(NULL);
	}
	selfmon_fiber_destroy(fiber);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "job", "inside")->visits, 1);
	cr_assert_eq(ROWS_GET(report, "parent")->visits, 1);
	selfmon_report_free(report);
}

/* ---- handlers ----------------------------------------------------------- */

#ifdef __x86_64__

#define TRAP_FLAG "0x100"

static struct selfmon_fiber *first, *second;
static volatile uint64_t handled;
static volatile int steps;
static sigjmp_buf out;

/*
 * The kernel clears the trap flag for the handler, so the handler is not
 * stepped.
 */
static void step_by_step(void (*what)(void))
{
	__asm__ volatile("pushfq; orq $" TRAP_FLAG ", (%%rsp); popfq" ::
				 : "memory", "cc");
	what();
	__asm__ volatile("pushfq; andq $~" TRAP_FLAG ", (%%rsp); popfq" ::
				 : "memory", "cc");
}

static bool handlers_fault;

static void visit_in_handler(int number)
{
	(void)number;
	SELFMON_REGION("handler") {
		handled++;
		if (handlers_fault)
			fault(1);
	}
}

static void switch_to_first(void)
{
	selfmon_fiber_switch(first);
}

static void switch_to_second(void)
{
	selfmon_fiber_switch(second);
}

static void visit_between(void)
{
	SELFMON_REGION("between")
		atomic_load(&runs);
}

static uint64_t visits_of(const struct selfmon_report *report, const char *name)
{
	uint64_t visits = 0;
	size_t i;

	for (i = 0; i < selfmon_report_row_count(report); i++)
		if (!strcmp(selfmon_report_row(report, i)->name, name))
			visits += selfmon_report_row(report, i)->visits;
	return visits;
}

static void nothing_is_lost(const char *events)
{
	struct selfmon_report *report;
	int i;

	SKIP_IF_SANITIZED("it makes too many steps of one");
	choose(events);
	first = selfmon_fiber_create("first");
	second = selfmon_fiber_create("second");
	visit_in_handler(0);
	visit_between();
	signal(SIGTRAP, visit_in_handler);
	SELFMON_REGION("own") {
		for (i = 0; i < 5; i++) {
			step_by_step(switch_to_first);
			visit_between();
			step_by_step(switch_to_second);
			visit_between();
		}
		selfmon_fiber_switch(NULL);
	}
	signal(SIGTRAP, SIG_DFL);
	selfmon_fiber_destroy(first);
	selfmon_fiber_destroy(second);
	cr_assert_gt(handled, 500);
	report = rows_take();
	rows_check(report);
	cr_assert_eq(report->unread, 0);
	cr_assert_eq(visits_of(report, "between"), 11);
	cr_assert_eq(visits_of(report, "own"), 1);
	cr_assert_eq(visits_of(report, "first"), 1);
	cr_assert_eq(visits_of(report, "second"), 1);
	/*
	 * Visits of handlers in the middle of a switch are counted and not
	 * measured.
	 */
	cr_assert_eq(visits_of(report, "handler") + report->unready, handled);
	cr_assert_gt(report->unready, 100);
	for (i = 0; handlers_fault &&
		    i < (int)selfmon_report_row_count(report); i++) {
		const struct selfmon_row *const row =
			selfmon_report_row(report, (size_t)i);

		if (!strcmp(row->name, "handler"))
			cr_assert_geq(row->counter[0].sum, row->visits);
	}
	selfmon_report_free(report);
}

Test(fibers, handlers_at_each_instruction_of_a_switch_lose_no_visit)
{
	nothing_is_lost("none");
}

Test(fibers, handlers_at_each_instruction_of_one_with_counters_neither)
{
	handlers_fault = true;
	nothing_is_lost("page-faults");
}

static void jump_out(int number)
{
	(void)number;
	if (--steps == 0)
		siglongjmp(out, 1);
}

/*
 * Jumps out of the switch after this number of instructions. Returns false if
 * the switch has fewer.
 */
static bool jump_after(int instructions)
{
	steps = instructions;
	if (sigsetjmp(out, 1))
		return true;
	step_by_step(switch_to_second);
	return false;
}

/* After each jump, both fibers must still have their open visits. */
Test(fibers, jumps_out_of_each_instruction_of_a_switch_lose_no_open_visit)
{
	struct selfmon_frame a = { NULL, { 0 } }, b = { NULL, { 0 } };
	struct selfmon_region *const of_first = selfmon_region("of first");
	struct selfmon_region *const of_second = selfmon_region("of second");
	struct selfmon_report *report;
	bool jumped;
	int i = 0;

	SKIP_IF_SANITIZED("it makes too many steps of one");
	choose("none");
	first = selfmon_fiber_create("first");
	second = selfmon_fiber_create("second");
	visit_between();
	signal(SIGTRAP, jump_out);
	do {
		selfmon_fiber_switch(second);
		selfmon_enter(of_second, &b);
		selfmon_fiber_switch(first);
		selfmon_enter(of_first, &a);
		jumped = jump_after(++i);
		selfmon_fiber_switch(first);
		selfmon_leave(&a);
		selfmon_fiber_switch(second);
		selfmon_leave(&b);
	} while (jumped);
	selfmon_fiber_switch(NULL);
	signal(SIGTRAP, SIG_DFL);
	selfmon_fiber_destroy(first);
	selfmon_fiber_destroy(second);
	cr_assert_gt(i, 60);
	report = rows_take();
	rows_check(report);
	cr_assert_eq(visits_of(report, "of first"), (uint64_t)i);
	cr_assert_eq(visits_of(report, "of second"), (uint64_t)i);
	cr_assert_eq(ROWS_GET(report, "first")->visits, 1);
	cr_assert_eq(ROWS_GET(report, "second", "of second")->cut_off, 0);
	selfmon_report_free(report);
}

#endif
