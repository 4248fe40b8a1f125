/* SPDX-License-Identifier: MIT */
/*
 * Whole runs of an instrumented program in which call number n of all that
 * can fail does, for n = 1, 2, 3 ... until one passes untouched.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fault/any.h"
#include "fault/kernel_faults.h"
#include "kernel/holdings.h"
#include "long.h"
#include "report/model.h"

#define ROUNDS 5
#define THREADS 2
#define EXPECTED (THREADS * ROUNDS + ROUNDS)

/* What a child tells its parent. */
static struct told {
	bool untouched;
	unsigned int calls;
	char name[FAULT_NAME];
	char fault[256];
} *told;

static void tell(const char *fault)
{
	if (!told->fault[0])
		snprintf(told->fault, sizeof(told->fault), "%s", fault);
}

/* ---- the program --------------------------------------------------------- */

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

static void count_by_hand(void)
{
	struct selfmon_snapshot a, b;
	struct selfmon_delta delta;
	struct selfmon_counters *set;
	size_t i;

	if (selfmon_counters_open("page-faults,cycles,task-clock", 0, &set,
				  NULL) < 0)
		return;
	selfmon_counters_begin(set, &a);
	selfmon_counters_end(set, &b);
	selfmon_counters_delta(set, &a, &b, &delta);
	for (i = 0; i < 3; i++)
		if (delta.value[i].verdict == SELFMON_NOT_COUNTED &&
		    delta.value[i].count)
			tell("a count that was not counted");
	selfmon_counters_close(set);
}

/* Nothing that did not happen is in it. */
static void look_at(const struct selfmon_report *report)
{
	uint64_t rounds = 0;
	size_t i;

	for (i = 0; i < selfmon_report_rows(report); i++) {
		const struct selfmon_row *row = selfmon_report_row(report, i);

		if (!strcmp(row->name, "round"))
			rounds += row->visits;
		if (row->visits > EXPECTED || row->measured > row->visits)
			tell("visits that were not made");
	}
	if (rounds > EXPECTED)
		tell("rounds that were not made");
	if (told->untouched && rounds != EXPECTED)
		tell("rounds are missing");
}

static void report_by_hand(void)
{
	struct selfmon_report *report;

	if (selfmon_report_take(&report)) {
		if (report)
			tell("a failure with a report");
		return;
	}
	told->untouched = kernel_faults.any.calls < kernel_faults.any.from;
	look_at(report);
	selfmon_report_free(report);
	selfmon_report_print(SELFMON_JSON, stderr);
}

/* A report or a failure with words, of what there is of a file. */
static void read_live_file(const char *path)
{
	struct selfmon_failure failure = { .error = 0 };
	struct selfmon_report *report;

	if (selfmon_report_open(path, &report, &failure)) {
		if (report || !failure.error)
			tell("a failure without words, or with a report");
		if (kernel_faults.any.calls < kernel_faults.any.from)
			tell("a live file that cannot be read");
		return;
	}
	look_at(report);
	selfmon_report_free(report);
}

static void run_program(const char *events)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	pthread_t thread;
	int i;

	options.events = events;
	selfmon_configure(&options);
	visit_all();
	for (i = 0; i < THREADS; i++) {
		if (pthread_create(&thread, NULL, run_thread, NULL)) {
			tell("no thread");
			return;
		}
		pthread_join(thread, NULL);
	}
	count_by_hand();
	report_by_hand();
	selfmon_report_exit();
	if (getenv("SELFMON_LIVE"))
		read_live_file(getenv("SELFMON_LIVE"));
}

/* ---- the child ----------------------------------------------------------- */

static void check(const struct holdings *before)
{
	struct holdings now;

	/* 0 + 1 + 2 + 3 + 4, and 5 of the regions made at run time */
	if (sum != (THREADS + 1) * 15)
		tell("the program's own work is wrong");
	now = holdings_now();
	if (now.fds != before->fds)
		tell("descriptors were not given back");
	if (now.maps != before->maps || kernel_faults.pages)
		tell("pages were not given back");
	if (kernel_faults.bad_closes)
		tell("a descriptor was closed twice");
	if (any_held.pieces)
		tell("memory of the heap was not freed");
	if (any_held.bytes)
		tell("memory was not unmapped");
}

static void child(const char *events, const char *output)
{
	struct holdings before;

	alarm(60);
	setenv("SELFMON_OUTPUT", output, 1);
	dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
	memset(&any_held, 0, sizeof(any_held));
	before = holdings_now();
	run_program(events);
	told->calls = kernel_faults.any.calls;
	told->untouched = told->calls < kernel_faults.any.from;
	memcpy(told->name, kernel_faults.any.name, sizeof(told->name));
	kernel_faults.any.from = kernel_faults.any.to = 0;
	selfmon_thread_forget();
	selfmon_unload_release();
	check(&before);
	_exit(0);
}

static void run_once(const char *events, const char *output)
{
	int status = 0;
	pid_t pid;

	memset(told, 0, sizeof(*told));
	pid = fork();
	if (pid == 0)
		child(events, output);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFEXITED(status),
		  "call %u failing with %d: ended by signal %d",
		  kernel_faults.any.from, kernel_faults.any.error,
		  WTERMSIG(status));
	cr_assert_eq(told->fault[0], 0, "call %u (%s) failing with %d: %s",
		     kernel_faults.any.from, told->name,
		     kernel_faults.any.error, told->fault);
}

/* One call, or (on) that and all after it. Returns how many runs it took. */
static unsigned int run_all(const char *events, int error, bool on,
			    unsigned int step)
{
	char path[] = "/tmp/selfmon-XXXXXX", output[64];
	const int file = mkstemp(path);
	unsigned int n;

	cr_assert_geq(file, 0);
	close(file);
	snprintf(output, sizeof(output), "csv:%s", path);
	for (n = 1;; n += step) {
		kernel_faults.any.from = n;
		kernel_faults.any.to = on ? UINT_MAX : n;
		kernel_faults.any.error = error;
		run_once(events, output);
		if (told->untouched)
			break;
	}
	unlink(path);
	return n;
}

static void setup(void)
{
	kernel_faults_clear();
	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq((void *)told, MAP_FAILED);
}

static void setup_pmu(void)
{
	setup();
	kernel_faults.pmu = true;
	kernel_faults.capabilities = 0x1a; /* its counters are nobody's */
}

/* The short form takes fewer calls of a kind, and fewer errors. */
static void run_with(const char *events, int error)
{
	static const int errors[] = { ENOMEM, EINVAL, EMFILE, EACCES, EPERM };
	size_t i;

	if (!long_or_short(1, 0)) {
		kernel_faults.any.alike = 10;
		cr_assert_gt(run_all(events, error, false, 1), 30);
		run_all(events, error, true, 11);
		return;
	}
	kernel_faults.any.alike = 200;
	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		cr_assert_gt(run_all(events, errors[i], false, 1), 30);
		run_all(events, errors[i], true, 1);
	}
}

TestSuite(whole_run, .init = setup);
TestSuite(whole_run_pmu, .init = setup_pmu);

Test(whole_run, with_software_events_survives_each_failure)
{
	run_with("page-faults,task-clock", EINVAL);
}

Test(whole_run, with_a_live_file_survives_each_failure)
{
	char path[] = "/tmp/selfmon-XXXXXX";
	const int file = mkstemp(path);

	cr_assert_geq(file, 0);
	close(file);
	setenv("SELFMON_LIVE", path, 1);
	run_with("none", ENOSPC);
	unlink(path);
}

Test(whole_run, with_time_alone_survives_each_failure)
{
	run_with("none", ENOMEM);
}

Test(whole_run_pmu, by_default_survives_each_failure)
{
	run_with("auto", EMFILE);
}

Test(whole_run_pmu, with_names_of_sysfs_survives_each_failure)
{
	run_with("cycles,msr/tsc/,{page-faults,instructions}", EACCES);
}
