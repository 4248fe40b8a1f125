/* SPDX-License-Identifier: MIT */
/*
 * Tests live files of processes that are running, that end without a report or
 * that fork, and how the file is created.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "form.h"
#include "store/process.h"
#include "rows.h"

#define THREADS 4

/*
 * Numbers of visits that had begun and ended when a process was killed, in
 * memory that outlives it.
 */
struct outcome {
	uint64_t begun[THREADS], ended[THREADS];
};

static char path[64];
static struct outcome *outcome;

static void setup(void)
{
	snprintf(path, sizeof(path), "/dev/shm/selfmon-live-%d", getpid());
	outcome = mmap(NULL, sizeof(*outcome), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq(outcome, MAP_FAILED);
	setenv("SELFMON_OUTPUT", "none", 1);
	setenv("SELFMON_EVENTS", "none", 1);
}

static void teardown(void)
{
	unlink(path);
}

TestSuite(live, .init = setup, .fini = teardown);

/* Starts a child in which the library has no earlier state. */
static pid_t start(void (*what)(void))
{
	const pid_t child = fork();

	if (child == 0) {
		setenv("SELFMON_LIVE", path, 1);
		what();
		_exit(0);
	}
	return child;
}

static int finish(pid_t child)
{
	int status;

	cr_assert_eq(waitpid(child, &status, 0), child);
	return status;
}

static struct selfmon_report *read_back(const char *name)
{
	struct selfmon_report *report = NULL;
	struct selfmon_failure failure = { .error = 0 };

	cr_assert_eq(selfmon_report_open(name, &report, &failure), 0, "%s",
		     failure.message);
	return report;
}

/* ---- ends ---------------------------------------------------------------- */

static void some_visits(void)
{
	int i;

	for (i = 0; i < 100; i++) {
		SELFMON_REGION("outer")
		{
			SELFMON_REGION("inner")
			{
			}
		}
	}
}

static void visit_and_abort(void)
{
	signal(SIGABRT, SIG_DFL);
	some_visits();
	SELFMON_REGION("last")
	{
		abort();
	}
}

Test(live, abort_leaves_a_report_with_what_was_open)
{
	const int status = finish(start(visit_and_abort));
	struct selfmon_report *report;

	cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	report = read_back(path);
	cr_assert_eq(ROWS_GET(report, "outer")->visits, 100);
	cr_assert_eq(ROWS_GET(report, "outer", "inner")->visits, 100);
	cr_assert_eq(ROWS_GET(report, "outer", "inner")->open, 0);
	cr_assert_eq(ROWS_GET(report, "last")->visits, 0);
	cr_assert_eq(ROWS_GET(report, "last")->open, 1);
	rows_check(report);
	selfmon_report_free(report);
}

Test(live, so_does_exit_without_destructors)
{
	struct selfmon_report *report;

	cr_assert_eq(finish(start(some_visits)), 0);
	report = read_back(path);
	cr_assert_eq(ROWS_GET(report, "outer")->visits, 100);
	cr_assert(rows_say(report, SELFMON_JSON, "is still running, or was "
						 "killed"));
	selfmon_report_free(report);
}

static void visit_and_exit(void)
{
	some_visits();
	exit(0);
}

Test(live, a_process_that_came_to_its_end_says_so)
{
	struct selfmon_report *report;

	cr_assert_eq(finish(start(visit_and_exit)), 0);
	report = read_back(path);
	cr_assert_eq(ROWS_GET(report, "outer")->visits, 100);
	cr_assert(rows_say(report, SELFMON_JSON, "its process has ended"));
	selfmon_report_free(report);
}

/* ---- SIGKILL ------------------------------------------------------------- */

static void visit_for_ever(uint64_t *begun, uint64_t *ended)
{
	for (;;) {
		selfmon_store_once(begun, *begun + 1);
		SELFMON_REGION("visited")
		{
		}
		selfmon_store_once(ended, *ended + 1);
	}
}

static void *thread_for_ever(void *number)
{
	const size_t i = (size_t)(uintptr_t)number;

	visit_for_ever(&outcome->begun[i], &outcome->ended[i]);
	return NULL;
}

static void threads_for_ever(void)
{
	pthread_t thread;
	uintptr_t i;

	for (i = 1; i < THREADS; i++)
		if (pthread_create(&thread, NULL, thread_for_ever, (void *)i))
			_exit(90);
	thread_for_ever((void *)0);
}

/* The number of visits in the report is between those ended and those begun. */
static void check_told(const struct selfmon_report *report)
{
	const struct selfmon_row *const row = ROWS_GET(report, "visited");
	uint64_t begun = 0, ended = 0;
	size_t i;

	for (i = 0; i < THREADS; i++) {
		begun += outcome->begun[i];
		ended += outcome->ended[i];
	}
	cr_assert(row->visits >= ended && row->visits + row->open <= begun,
		  "%llu visits, %llu open; of %llu to %llu",
		  (unsigned long long)row->visits,
		  (unsigned long long)row->open, (unsigned long long)ended,
		  (unsigned long long)begun);
	rows_check(report);
}

static void kill_once(uint64_t visits)
{
	struct selfmon_report *report;
	pid_t child;

	memset(outcome, 0, sizeof(*outcome));
	child = start(threads_for_ever);
	while (selfmon_load_once(&outcome->ended[0]) < visits)
		;
	kill(child, SIGKILL);
	finish(child);
	report = read_back(path);
	check_told(report);
	selfmon_report_free(report);
}

Test(live, sigkill_at_any_moment_loses_no_visit_that_had_ended, .timeout = 600)
{
	const int kills = by_form(10, 40, 1000);
	int i;

	srand(1);
	for (i = 0; i < kills; i++)
		kill_once(1 + (uint64_t)rand() % 4000);
}

/* ---- a process that continues ------------------------------------------- */

Test(live, a_running_process_can_be_watched)
{
	struct selfmon_report *report;
	uint64_t before = 0;
	pid_t child;
	int i;

	child = start(threads_for_ever);
	while (selfmon_load_once(&outcome->ended[0]) < 1)
		;
	for (i = 0; i < 50; i++) {
		report = read_back(path);
		rows_check(report);
		cr_assert_geq(ROWS_GET(report, "visited")->visits, before);
		before = ROWS_GET(report, "visited")->visits;
		selfmon_report_free(report);
	}
	kill(child, SIGKILL);
	finish(child);
}

/* ---- fork ---------------------------------------------------------------- */

static void visit_fork_visit(void)
{
	SELFMON_REGION("around")
	{
		some_visits();
		if (fork() == 0) {
			some_visits();
			_exit(0);
		}
		wait(NULL);
	}
}

Test(live, a_child_never_writes_to_its_parents_file)
{
	struct selfmon_report *report;

	cr_assert_eq(finish(start(visit_fork_visit)), 0);
	report = read_back(path);
	cr_assert_eq(ROWS_GET(report, "around", "outer")->visits, 100);
	cr_assert_eq(ROWS_GET(report, "around")->visits, 1);
	selfmon_report_free(report);
}

/*
 * The frames of the parent's visits point to pages that the child does not
 * have.
 */
static void leave_the_parents_regions(void)
{
	struct selfmon_frame span;
	pid_t child;
	int status;

	selfmon_enter(selfmon_region("span"), &span);
	SELFMON_REGION("around")
	{
		child = fork();
	}
	selfmon_leave(&span);
	if (child == 0) {
		some_visits();
		_exit(42);
	}
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
	    WEXITSTATUS(status) != 42)
		_exit(91);
}

Test(live, a_child_may_leave_its_parents_regions)
{
	cr_assert_eq(finish(start(leave_the_parents_regions)), 0);
}

static void fork_with_names(void)
{
	char name[80];

	snprintf(name, sizeof(name), "%s.%%p", path);
	setenv("SELFMON_LIVE", name, 1);
	some_visits();
	outcome->begun[0] = (uint64_t)getpid();
	if (fork() == 0) {
		outcome->begun[1] = (uint64_t)getpid();
		some_visits();
		some_visits();
		_exit(0);
	}
	wait(NULL);
}

Test(live, with_its_number_in_the_name_a_child_has_its_own)
{
	struct selfmon_report *report;
	char name[80];
	unsigned int i;

	cr_assert_eq(finish(start(fork_with_names)), 0);
	for (i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "%s.%llu", path,
			 (unsigned long long)outcome->begun[i]);
		report = read_back(name);
		cr_assert_eq(ROWS_GET(report, "outer")->visits, 100 + 100 * i);
		selfmon_report_free(report);
		unlink(name);
	}
}

/* ---- files --------------------------------------------------------------- */

Test(live, the_file_is_for_its_owner_alone)
{
	struct stat stat_of;

	cr_assert_eq(finish(start(some_visits)), 0);
	cr_assert_eq(stat(path, &stat_of), 0);
	cr_assert_eq(stat_of.st_mode & 07777, 0600);
}

static void put(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	cr_assert_not_null(file);
	fputs(text, file);
	fclose(file);
}

Test(live, what_is_no_live_file_is_not_replaced)
{
	char text[32] = "";
	FILE *file;

	put(path, "precious, precious\n");
	cr_assert_eq(finish(start(some_visits)), 0);
	file = fopen(path, "r");
	cr_assert_not_null(fgets(text, sizeof(text), file));
	fclose(file);
	cr_assert_str_eq(text, "precious, precious\n");
}

Test(live, a_live_file_of_before_is_replaced_and_not_cut_short)
{
	struct selfmon_report *report;
	struct stat before, after;
	const pid_t first = start(threads_for_ever);

	while (selfmon_load_once(&outcome->ended[0]) < 1)
		;
	cr_assert_eq(stat(path, &before), 0);
	cr_assert_eq(finish(start(some_visits)), 0);
	cr_assert_eq(stat(path, &after), 0);
	cr_assert_neq(before.st_ino, after.st_ino);
	report = read_back(path);
	cr_assert_eq(ROWS_GET(report, "outer")->visits, 100);
	selfmon_report_free(report);
	cr_assert_eq(kill(first, 0), 0);
	kill(first, SIGKILL);
	cr_assert_eq(WTERMSIG(finish(first)), SIGKILL);
}

Test(live, a_symbolic_link_is_not_followed)
{
	char other[80];
	struct stat stat_of;

	snprintf(other, sizeof(other), "%s.other", path);
	cr_assert_eq(symlink(other, path), 0);
	cr_assert_eq(finish(start(some_visits)), 0);
	cr_assert_neq(stat(other, &stat_of), 0);
	cr_assert(!lstat(path, &stat_of) && S_ISLNK(stat_of.st_mode));
}
