/* SPDX-License-Identifier: MIT */
/*
 * The instrumented program of test_whole_run.c. It checks that all results of
 * the library are true, and that everything allocated is released.
 */
#define _GNU_SOURCE
#include "fault/program.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fault/any.h"
#include "fault/kernel_faults.h"
#include "kernel/holdings.h"
#include "probe.h"
#include "report/exit.h"
#include "store/process.h"
#include "session/end.h"
#include "report/model.h"

#define ROUNDS 5
#define THREADS 2
#define EXPECTED (THREADS * ROUNDS + ROUNDS)

struct outcome *outcome;

static void note(const char *fault)
{
	if (!outcome->fault[0])
		snprintf(outcome->fault, sizeof(outcome->fault), "%s", fault);
}

static bool is_untouched(void)
{
	return kernel_faults.any.calls < kernel_faults.any.from;
}

static unsigned int sum;
static jmp_buf back;

static void work(unsigned int by)
{
	SELFMON_REGION("work")
	{
		sum += by;
	}
}

static void jump(void)
{
	SELFMON_REGION("jumped out of")
	{
		longjmp(back, 1);
	}
}

static void jump_and_land(void)
{
	if (!setjmp(back))
		jump();
}

static void visit_all(void)
{
	struct selfmon_frame span;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		SELFMON_REGION("round")
		{
			selfmon_enter(selfmon_region("span"), &span);
			work(i);
			SELFMON_REGION_OF(selfmon_region("made"))
			{
				sum++;
			}
			selfmon_leave(&span);
			jump_and_land();
		}
	}
}

static void *run_thread(void *unused)
{
	(void)unused;
	visit_all();
	return NULL;
}

static void count_by_hand(const char *events)
{
	struct selfmon_snapshot a, b;
	struct selfmon_delta delta;
	struct selfmon_counters *set;
	size_t i;

	if (selfmon_counters_open(events, SELFMON_COUNTERS_GUARD, &set, NULL) <
	    0)
		return;
	selfmon_counters_begin(set, &a);
	selfmon_counters_end(set, &b);
	selfmon_counters_delta(set, &a, &b, &delta);
	for (i = 0; i < 3; i++)
		if (delta.value[i].verdict == SELFMON_NOT_COUNTED &&
		    delta.value[i].count)
			note("a count that was not counted");
	selfmon_counters_close(set);
}

/*
 * Checks that the report has at most the visits that were made, and all rounds
 * if no call failed.
 */
static void look_at(const struct selfmon_report *report, uint64_t expected)
{
	uint64_t rounds = 0;
	size_t i;

	for (i = 0; i < selfmon_report_row_count(report); i++) {
		const struct selfmon_row *row = selfmon_report_row(report, i);

		if (!strcmp(row->name, "round"))
			rounds += row->visits;
		if (row->visits > expected || row->measured > row->visits)
			note("visits that were not made");
	}
	if (rounds > expected)
		note("rounds that were not made");
	if (outcome->untouched && rounds != expected)
		note("rounds are missing");
}

static void subtract_from_itself(const struct selfmon_report *report)
{
	struct selfmon_report *interval;

	if (selfmon_report_subtract(report, report, &interval)) {
		if (interval)
			note("a failure with an interval");
		return;
	}
	look_at(interval, 0);
	selfmon_report_free(interval);
}

static void report_by_hand(uint64_t expected)
{
	struct selfmon_report *report;

	if (selfmon_report_take(&report)) {
		if (report)
			note("a failure with a report");
		return;
	}
	outcome->untouched = is_untouched();
	look_at(report, expected);
	subtract_from_itself(report);
	selfmon_report_free(report);
	selfmon_report_print(SELFMON_JSON, stderr);
}

/*
 * Checks that the file has whole pages, and that all its blocks are allocated.
 * Writing to a missing block raises SIGBUS if the disk is full.
 */
static void look_at_blocks(const char *path)
{
	struct stat status;

	if (lstat(path, &status) || status.st_size % 4096 ||
	    status.st_blocks * 512 < status.st_size)
		note("a live file with holes, or cut short");
}

/*
 * Reads the part of the file that exists. The result must be a report, or a
 * failure with a message.
 */
static void read_live_file(const char *path, uint64_t expected)
{
	struct selfmon_failure failure = { .error = 0 };
	struct selfmon_report *report;

	if (selfmon_report_open(path, &report, &failure)) {
		if (report || !failure.error)
			note("a failure without a message, or with a report");
		if (is_untouched())
			note("a live file that cannot be read");
		return;
	}
	look_at(report, expected);
	subtract_from_itself(report);
	selfmon_report_free(report);
	if (is_untouched())
		look_at_blocks(path);
}

/* ---- other functions ----------------------------------------------------- */

int program_probed(int x);
__attribute__((noinline)) int program_probed(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x;
}

/*
 * Opens a set with a function of this program as an event, and with an unusual
 * event that few kernels support.
 */
static void count_calls_by_hand(void)
{
	char spec[512] = "software/config=2,config3=1/,";
	const size_t n = strlen(spec);

	if (!probe_name(spec + n, sizeof(spec) - n,
			(const void *)(uintptr_t)&program_probed))
		return;
	count_by_hand(spec);
	program_probed(1);
}

static void visit_in_handler(int number)
{
	(void)number;
	SELFMON_REGION("handled")
	{
	}
}

static void take_signals(void)
{
	int i;

	signal(SIGUSR1, visit_in_handler);
	SELFMON_REGION("interrupted")
	{
		for (i = 0; i < ROUNDS; i++)
			raise(SIGUSR1);
	}
}

static void keep_name(void)
{
	if (!outcome->name[0])
		memcpy(outcome->name, kernel_faults.any.name, sizeof(outcome->name));
}

/*
 * Calls are counted in both processes: the child adds to the parent's count,
 * and afterwards the parent continues from there.
 */
static void fork_a_child(void)
{
	int status = 0;
	pid_t pid;

	SELFMON_REGION("forked")
	{
		pid = fork();
		if (pid == 0) {
			visit_all();
			report_by_hand(ROUNDS);
			selfmon_report_exit();
			keep_name();
			outcome->calls = kernel_faults.any.calls;
			_exit(0);
		}
	}
	if (waitpid(pid, &status, 0) != pid || status) {
		note("the child has not come to its end");
		return;
	}
	kernel_faults.any.calls = outcome->calls;
}

static void do_more(void)
{
	take_signals();
	count_calls_by_hand();
	fork_a_child();
	if (selfmon_guard_check() == -ESRCH)
		note("the guard is gone");
}

/* ---- the run ------------------------------------------------------------- */

static void work_through(const struct program *program)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	const char *const live = getenv("SELFMON_LIVE");
	pthread_t thread;
	int i;

	options.events = program->events;
	options.guard = program->more;
	selfmon_configure(&options);
	visit_all();
	for (i = 0; i < THREADS; i++) {
		if (pthread_create(&thread, NULL, run_thread, NULL)) {
			note("no thread");
			return;
		}
		pthread_join(thread, NULL);
	}
	count_by_hand("page-faults,cycles,task-clock");
	if (program->more)
		do_more();
	report_by_hand(EXPECTED);
	selfmon_report_exit();
	if (live)
		read_live_file(live, EXPECTED);
}

static void check(const struct holdings *before)
{
	const struct selfmon_process *const process = selfmon_process();
	/*
	 * The descriptor of a live file stays open, since threads may still
	 * extend the file.
	 */
	const size_t kept = getenv("SELFMON_LIVE") != NULL;
	/*
	 * Without the thread-specific key, the library does not notice that
	 * threads exit.
	 */
	const bool unseen_ends = process && process->alive > 1;
	struct holdings now;

	/* 0 + 1 + 2 + 3 + 4, and 5 for regions with names made at run time */
	if (sum != (THREADS + 1) * 15)
		note("the program's own work is wrong");
	now = holdings_now();
	/*
	 * A descriptor whose event cannot be checked stays open, since it may
	 * belong to the program.
	 */
	if (now.fds < before->fds ||
	    (now.fds > before->fds + kernel_faults.unseen + kept &&
	     !unseen_ends))
		note("descriptors were not given back");
	if ((now.maps != before->maps || kernel_faults.pages) && !unseen_ends)
		note("pages were not given back");
	if (kernel_faults.bad_closes)
		note("a descriptor was closed twice");
	if (any_held.pieces)
		note("memory of the heap was not freed");
	if (any_held.bytes && !unseen_ends)
		note("memory was not unmapped");
}

void program_run(const struct program *program, const char *output)
{
	struct holdings before;

	alarm(60);
	setenv("SELFMON_OUTPUT", output, 1);
	dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
	memset(&any_held, 0, sizeof(any_held));
	before = holdings_now();
	work_through(program);
	outcome->calls = kernel_faults.any.calls;
	outcome->untouched = is_untouched();
	keep_name();
	kernel_faults.any.from = kernel_faults.any.to = 0;
	selfmon_unload();
	check(&before);
	_exit(0);
}
