/* SPDX-License-Identifier: MIT */
/*
 * Tests a report by thread: each thread has a row with the sum of its regions.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/live_open.h"
#include "report/take.h"
#include "report/write.h"
#include "store/process.h"
#include "report/view_rows.h"
#include "rows.h"
#include "store/self.h"

#define WORKERS 3

static char path[64];

static void keep_apart(void)
{
	snprintf(path, sizeof(path), "/dev/shm/selfmon-apart-%d", getpid());
	setenv("SELFMON_OUTPUT", "none;threads", 1);
	setenv("SELFMON_EVENTS", "none", 1);
}

static void remove_file(void)
{
	unlink(path);
}

TestSuite(report_threads, .init = keep_apart, .fini = remove_file);

/* ---- threads that do known work ------------------------------------------ */

struct worker {
	pthread_t thread;
	uint64_t visits;
	const char *name; /* NULL: the thread has no name of its own */
	pthread_barrier_t *together;
	uint32_t tid;     /* result */
};

static void do_work(uint64_t visits)
{
	uint64_t i;

	for (i = 0; i < visits; i++)
		SELFMON_REGION("work")
		{
			SELFMON_REGION("inner")
			{
			}
		}
}

static void *run_worker(void *argument)
{
	struct worker *const worker = argument;

	worker->tid = (uint32_t)syscall(SYS_gettid);
	if (worker->name)
		pthread_setname_np(pthread_self(), worker->name);
	do_work(worker->visits);
	if (worker->together)
		pthread_barrier_wait(worker->together);
	return NULL;
}

static void run_together(struct worker *worker, unsigned int count)
{
	pthread_barrier_t together;
	unsigned int i;

	pthread_barrier_init(&together, NULL, count);
	for (i = 0; i < count; i++) {
		worker[i].together = &together;
		cr_assert_eq(pthread_create(&worker[i].thread, NULL, run_worker,
					    &worker[i]), 0);
	}
	for (i = 0; i < count; i++)
		pthread_join(worker[i].thread, NULL);
}

static void run_after_another(struct worker *worker, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		cr_assert_eq(pthread_create(&worker[i].thread, NULL, run_worker,
					    &worker[i]), 0);
		pthread_join(worker[i].thread, NULL);
	}
}

/* ---- threads in a report ------------------------------------------------- */

static struct selfmon_report *take_apart(void)
{
	struct selfmon_report *report;

	cr_assert_eq(selfmon_report_take_apart(&report), 0);
	cr_assert_not_null(report->apart);
	rows_check(report->apart);
	return report;
}

static const struct selfmon_row *
thread_named(const struct selfmon_report *report, const char *name)
{
	const struct selfmon_row *const row = ROWS_FIND(report->apart, name);

	cr_assert_not_null(row, "no thread %s", name);
	return row;
}

static const struct selfmon_row *
thread_of(const struct selfmon_report *report, const char *name, uint32_t tid)
{
	char label[64];

	snprintf(label, sizeof(label), "%s %u", name, (unsigned int)tid);
	return thread_named(report, label);
}

static const struct selfmon_row *
below_thread(const struct selfmon_report *report,
	     const struct selfmon_row *thread, const char *name)
{
	const struct selfmon_row *const row =
		ROWS_FIND(report->apart, thread->name, name);

	cr_assert_not_null(row, "no %s below %s", name, thread->name);
	return row;
}

/* Sums over all threads' rows of one region at one depth. */
struct whole {
	uint64_t visits, sum;
	double net, self;
};

static struct whole sum_over_threads(const struct selfmon_report *report,
				     const struct selfmon_row *row)
{
	struct whole whole = { 0, 0, 0, 0 };
	size_t i;

	for (i = 0; i < report->apart->rows; i++) {
		const struct selfmon_row *const of = &report->apart->row[i];

		if (of->depth != row->depth + 1 ||
		    strcmp(of->name, row->name) != 0)
			continue;
		whole.visits += of->visits;
		whole.sum += of->time.sum;
		whole.net += of->time.net;
		whole.self += of->time.net_exclusive;
	}
	return whole;
}

/*
 * Returns true if the net time of any row is negative, as may happen with a
 * coarse clock. The row's parent counts such a time as 0, so self times do not
 * add up.
 */
static bool any_below_0(const struct selfmon_report *report)
{
	size_t i;

	for (i = 0; i < report->rows; i++)
		if (report->row[i].time.net < 0)
			return true;
	return false;
}

/*
 * Each row of the report is the sum of its threads' rows, except for rounding.
 */
static void check_sums(const struct selfmon_report *report)
{
	const bool selves = !any_below_0(report) && !any_below_0(report->apart);
	size_t i;

	cr_assert_gt(report->rows, 0);
	for (i = 0; i < report->rows; i++) {
		const struct selfmon_row *const row = &report->row[i];
		const struct whole whole = sum_over_threads(report, row);

		cr_assert_eq(whole.visits, row->visits, "%s", row->name);
		cr_assert_leq(whole.sum, row->time.sum, "%s", row->name);
		cr_assert_geq(whole.sum + report->apart->rows, row->time.sum,
			      "%s", row->name);
		cr_assert_float_eq(whole.net, row->time.net,
				   1e-6 * row->time.net + 1, "%s", row->name);
		if (!selves)
			continue;
		cr_assert_float_eq(whole.self, row->time.net_exclusive,
				   1e-6 * row->time.net + 1, "%s", row->name);
	}
}

/*
 * The row of a thread is the sum of its top-level regions, and has no self
 * values.
 */
static void check_tops(const struct selfmon_report *report)
{
	const struct selfmon_report *const apart = report->apart;
	size_t i, k;

	for (i = 0; i < apart->rows; i++) {
		double net = 0;
		uint64_t visits = 0;

		if (apart->row[i].depth)
			continue;
		cr_assert_gt(apart->detail[i].thread.threads, 0);
		for (k = 0; k < apart->rows; k++) {
			if (apart->row[k].parent != (int32_t)i)
				continue;
			net += apart->row[k].time.net;
			visits += apart->row[k].visits;
		}
		cr_assert_eq(apart->row[i].visits, visits);
		cr_assert_float_eq(apart->row[i].time.net, net, 1e-3);
		cr_assert_float_eq(apart->row[i].time.net_exclusive, 0, 1e-9);
	}
}

static size_t tops_of(const struct selfmon_report *report)
{
	size_t tops = 0, i;

	for (i = 0; i < report->apart->rows; i++)
		tops += !report->apart->row[i].depth;
	return tops;
}

/* ---- threads of one process ---------------------------------------------- */

Test(report_threads, each_is_a_row_with_its_regions_below)
{
	struct worker worker[WORKERS] = {
		{ .visits = 1, .name = "one" },
		{ .visits = 20, .name = "twenty" },
		{ .visits = 300 },
	};
	struct selfmon_report *report;
	const struct selfmon_row *thread;
	unsigned int i;

	do_work(7);
	run_together(worker, WORKERS);
	report = take_apart();
	cr_assert_eq(tops_of(report), WORKERS + 1);
	thread = thread_of(report, "main", (uint32_t)getpid());
	cr_assert_eq(below_thread(report, thread, "work")->visits, 7);
	for (i = 0; i < WORKERS; i++) {
		thread = thread_of(report, i == 2 ? "thread" : worker[i].name,
				   worker[i].tid);
		cr_assert_eq(thread->visits, worker[i].visits);
		cr_assert_eq(thread->threads, 1);
		cr_assert_eq(below_thread(report, thread, "work")->visits,
			     worker[i].visits);
		cr_assert_not_null(ROWS_FIND(report->apart, thread->name,
					     "work", "inner"));
	}
	check_sums(report);
	check_tops(report);
	selfmon_report_free(report);
}

/* ---- samples ------------------------------------------------------------- */

#define FAULTS 20

static void touch_pages(void)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	char *const memory = mmap(NULL, FAULTS * size, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t i;

	cr_assert_neq(memory, MAP_FAILED);
	madvise(memory, FAULTS * size, MADV_NOHUGEPAGE);
	for (i = 0; i < FAULTS; i++)
		*(volatile char *)(memory + i * size) = 1;
	munmap(memory, FAULTS * size);
}

static void *fault_in_thread(void *unused)
{
	(void)unused;
	SELFMON_REGION("work")
		SELFMON_REGION("inner")
			touch_pages();
	return NULL;
}

static uint64_t samples_below(const struct selfmon_report *report, size_t row)
{
	uint64_t sum = report->row[row].samples;
	size_t i;

	for (i = row + 1; i < report->rows; i++)
		if (report->row[i].parent == (int32_t)row)
			sum += samples_below(report, i);
	return sum;
}

/*
 * The samples of a thread are those of its regions. Only the report of all
 * threads has call stacks: a view by thread has none, and says why.
 */
Test(report_threads, samples_of_a_thread_are_those_of_its_regions)
{
	const struct selfmon_view view = { .threads = true };
	struct selfmon_report *report;
	struct selfmon_viewed viewed;
	const struct selfmon_row *row;
	pthread_t thread[2];
	size_t i;

	setenv("SELFMON_SAMPLE", "page-faults", 1);
	for (i = 0; i < 2; i++) {
		cr_assert_eq(pthread_create(&thread[i], NULL, fault_in_thread,
					    NULL), 0);
		pthread_join(thread[i], NULL);
	}
	report = take_apart();
	cr_assert_eq(tops_of(report), 2);
	for (i = 0; i < report->apart->rows; i++) {
		row = &report->apart->row[i];
		cr_expect_eq(row->samples_within,
			     samples_below(report->apart, i));
		cr_expect_geq(row->samples_within, FAULTS);
		if (!row->depth)
			cr_expect_eq(row->samples, 0);
	}
	cr_expect(rows_say(report, SELFMON_JSON, "\"no_stacks_reason\": \"\""));
	cr_assert_eq(selfmon_view_make(&view, report, 0, 0, &viewed), 0);
	cr_expect(rows_say(viewed.report, SELFMON_JSON,
			   "\"no_stacks_reason\": \"views (threads, "));
	selfmon_view_free(&viewed);
	selfmon_report_free(report);
}

/* ---- threads of one process, again --------------------------------------- */

/* With the option "threads", the rows of the report itself stay the same. */
Test(report_threads, the_report_itself_is_as_ever)
{
	struct worker worker[WORKERS] = { { .visits = 1 }, { .visits = 2 },
					  { .visits = 3 } };
	struct selfmon_report *report;

	run_together(worker, WORKERS);
	report = take_apart();
	cr_assert_eq(report->rows, 2);
	cr_assert_eq(ROWS_GET(report, "work")->visits, 6);
	cr_assert(!rows_say(report, SELFMON_TEXT, "thread 1"));
	cr_assert(!rows_say(report, SELFMON_JSON, "\"thread\""));
	selfmon_report_free(report);
	report = rows_take();
	cr_assert_null(report->apart);
	selfmon_report_free(report);
}

Test(report_threads, ended_threads_keep_their_rows)
{
	struct worker worker[WORKERS] = { { .visits = 1, .name = "a" },
					  { .visits = 2, .name = "b" },
					  { .visits = 3, .name = "c" } };
	struct selfmon_report *report;
	unsigned int i;

	run_after_another(worker, WORKERS);
	report = take_apart();
	cr_assert_eq(tops_of(report), WORKERS);
	for (i = 0; i < WORKERS; i++)
		cr_assert_eq(thread_of(report, worker[i].name,
				       worker[i].tid)->visits,
			     worker[i].visits);
	check_sums(report);
	selfmon_report_free(report);
}

/*
 * The states of ended threads are reused, so ended threads have no rows of
 * their own.
 */
Test(report_threads, without_the_option_ended_threads_are_one_row)
{
	struct worker worker[WORKERS] = { { .visits = 1 }, { .visits = 2 },
					  { .visits = 3 } };
	struct selfmon_report *report;

	setenv("SELFMON_OUTPUT", "none", 1);
	do_work(7);
	run_after_another(worker, WORKERS);
	report = take_apart();
	cr_assert_eq(tops_of(report), 2);
	cr_assert_eq(thread_of(report, "main", (uint32_t)getpid())->visits, 7);
	cr_assert_eq(thread_named(report, "other threads (3)")->visits, 6);
	cr_assert_eq(thread_named(report, "other threads (3)")->threads, 3);
	check_sums(report);
	check_tops(report);
	selfmon_report_free(report);
}

static char *text_by_thread(const struct selfmon_report *report)
{
	/* Shows all rows: by default those with little time are folded. */
	const struct selfmon_view view = { .threads = true, .limited = true };
	char *text = NULL;
	size_t size;
	FILE *const stream = open_memstream(&text, &size);

	cr_assert_eq(selfmon_report_write_view(report, SELFMON_TEXT, &view,
					       stream), 0);
	fclose(stream);
	return text;
}

static uint32_t states(void)
{
	const struct selfmon_thread *thread = selfmon_process()->threads;
	uint32_t count = 0;

	for (; thread; thread = thread->next)
		count++;
	return count;
}

#define BEYOND 40

/*
 * To limit memory, only the first 256 threads keep a state of their own. Later
 * threads reuse the state of an ended thread.
 */
Test(report_threads, those_beyond_the_first_256_are_one_row)
{
	struct worker *const worker =
		calloc(SELFMON_THREADS_APART + BEYOND, sizeof(*worker));
	struct selfmon_report *report;
	uint64_t visits = 0;
	unsigned int i;
	char *text;

	for (i = 0; i < SELFMON_THREADS_APART + BEYOND; i++)
		worker[i].visits = i + 1;
	do_work(7); /* the main thread is one of the first 256 */
	run_after_another(worker, SELFMON_THREADS_APART + BEYOND);
	cr_assert_eq(states(), SELFMON_THREADS_APART + 1);
	report = take_apart();
	cr_assert_eq(tops_of(report), SELFMON_THREADS_APART + 1);
	for (i = SELFMON_THREADS_APART - 1; i < SELFMON_THREADS_APART + BEYOND;
	     i++)
		visits += worker[i].visits;
	cr_assert_eq(thread_named(report, "other threads (41)")->visits,
		     visits);
	cr_assert_eq(thread_of(report, "thread", worker[254].tid)->visits, 255);
	check_sums(report);
	text = text_by_thread(report);
	cr_assert_not_null(strstr(text, "\"other threads (41)\" is the sum of "
				  "threads"), "%s", text);
	free(text);
	selfmon_report_free(report);
	free(worker);
}

static pthread_barrier_t inside;

static void *wait_inside(void *unused)
{
	SELFMON_REGION("wait")
	{
		pthread_barrier_wait(&inside);
		pthread_barrier_wait(&inside);
	}
	return unused;
}

/* A pool names its threads after they have started. */
Test(report_threads, one_that_is_alive_has_the_name_that_it_has_now)
{
	struct selfmon_report *report;
	const struct selfmon_row *row;
	size_t i, found = 0;
	pthread_t thread;

	pthread_barrier_init(&inside, NULL, 2);
	do_work(1);
	pthread_create(&thread, NULL, wait_inside, NULL);
	pthread_barrier_wait(&inside);
	pthread_setname_np(thread, "named late");
	report = take_apart();
	for (i = 0; i < report->apart->rows; i++) {
		row = &report->apart->row[i];
		if (strncmp(row->name, "named late ", 11) != 0)
			continue;
		found++;
		cr_assert_eq(row->open, 1);
		cr_assert_eq(below_thread(report, row, "wait")->open, 1);
	}
	cr_assert_eq(found, 1);
	selfmon_report_free(report);
	pthread_barrier_wait(&inside);
	pthread_join(thread, NULL);
}

/* ---- other processes ----------------------------------------------------- */

static int child_has_its_own_threads(void)
{
	struct worker worker[] = { { .visits = 4, .name = "of child" } };
	struct selfmon_report *report;
	int good;

	do_work(5);
	run_after_another(worker, 1);
	if (selfmon_report_take_apart(&report))
		return 2;
	good = tops_of(report) == 2 &&
	       thread_of(report, "main", (uint32_t)getpid())->visits == 5 &&
	       thread_of(report, "of child", worker[0].tid)->visits == 4;
	selfmon_report_free(report);
	return !good;
}

Test(report_threads, a_forked_child_has_rows_of_its_own_threads)
{
	struct worker worker[WORKERS] = { { .visits = 1 }, { .visits = 2 },
					  { .visits = 3 } };
	int status;
	pid_t pid;

	do_work(7);
	run_after_another(worker, WORKERS);
	pid = fork();
	if (pid == 0)
		_exit(child_has_its_own_threads());
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFEXITED(status) && !WEXITSTATUS(status), "%d", status);
}

static void live_process(struct worker *worker, bool together)
{
	const pid_t pid = fork();
	int status;

	if (pid == 0) {
		setenv("SELFMON_LIVE", path, 1);
		do_work(7);
		if (together)
			run_together(worker, WORKERS);
		else
			run_after_another(worker, WORKERS);
		kill(getpid(), SIGKILL);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static struct selfmon_report *read_apart(void)
{
	struct selfmon_report *report = NULL;
	struct selfmon_failure failure;

	cr_assert_eq(selfmon_report_open_apart(path, &report, &failure), 0,
		     "%s", failure.message);
	cr_assert_not_null(report->apart);
	rows_check(report->apart);
	check_sums(report);
	check_tops(report);
	return report;
}

static uint64_t visits_of_name(const struct selfmon_report *report,
			       const char *name)
{
	uint64_t visits = 0;
	size_t i;

	for (i = 0; i < report->apart->rows; i++)
		if (!strncmp(report->apart->row[i].name, name, strlen(name)) &&
		    report->apart->row[i].name[strlen(name)] == ' ')
			visits += report->apart->row[i].visits;
	return visits;
}

static struct worker named[WORKERS] = { { .visits = 1, .name = "a" },
					{ .visits = 2, .name = "b" },
					{ .visits = 3, .name = "c" } };

Test(report_threads, a_live_file_has_them_after_a_kill)
{
	struct selfmon_report *report;

	live_process(named, false);
	report = read_apart();
	cr_assert_eq(tops_of(report), WORKERS + 1);
	cr_assert_eq(visits_of_name(report, "main"), 7);
	cr_assert_eq(visits_of_name(report, "a"), 1);
	cr_assert_eq(visits_of_name(report, "b"), 2);
	cr_assert_eq(visits_of_name(report, "c"), 3);
	selfmon_report_free(report);
}

/*
 * Threads that were alive at the same time have rows of their own even without
 * the option "threads".
 */
Test(report_threads, a_live_file_without_the_option_has_those_at_once)
{
	struct selfmon_report *report;

	setenv("SELFMON_OUTPUT", "none", 1);
	live_process(named, true);
	report = read_apart();
	cr_assert_eq(tops_of(report), WORKERS + 1);
	cr_assert_eq(visits_of_name(report, "b"), 2);
	selfmon_report_free(report);
}

Test(report_threads, and_says_which_it_cannot_tell_apart)
{
	struct selfmon_report *report;

	setenv("SELFMON_OUTPUT", "none", 1);
	live_process(named, false);
	report = read_apart();
	cr_assert_eq(tops_of(report), 2);
	cr_assert_eq(thread_named(report, "other threads (3)")->visits, 6);
	selfmon_report_free(report);
}
