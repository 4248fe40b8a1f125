/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "selftest_perf.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "selftest_judge_rest.h"
#include "selftest_row.h"
#include "selftest_work.h"

#define RUNS 5
#define TURNS_QUICK UINT64_C(10000000)
#define TURNS UINT64_C(50000000)
/* Variation between runs of the number of instructions in a program's start. */
#define START_NOISE 5000.0
/* Interrupts add at most PART of all instructions, plus SOME instructions. */
#define PART 1e-5
#define SOME 100

int selftest_perf_loop(const char *turns)
{
	const uint64_t n = strtoull(turns, NULL, 10);
	struct selfmon_counters *set;
	struct selfmon_delta delta;

	if (!n || selfmon_counters_open("instructions", 0, &set, NULL) < 1)
		return 1;
	selftest_visit(set, n, &delta);
	selfmon_counters_close(set);
	printf("selfmon %" PRIu64 "\n", delta.value[0].count);
	return delta.value[0].verdict == SELFMON_NOT_COUNTED;
}

/*
 * The counts of one run: by perf for the whole program, and by the library for
 * its loop.
 */
struct run {
	double perf, own;
};

/*
 * Parses "COUNT,,instructions:u,..." from perf, and "selfmon COUNT" from the
 * program with the loop.
 */
static void read_lines(FILE *from, struct run *run)
{
	char line[512];
	uint64_t count;

	while (fgets(line, sizeof(line), from)) {
		if (sscanf(line, "selfmon %" SCNu64, &count) == 1)
			run->own = (double)count;
		else if (strstr(line, "instructions") &&
			 sscanf(line, "%" SCNu64 ",", &count) == 1)
			run->perf = (double)count;
	}
}

static void become(int out, uint64_t turns)
{
	char text[32];
	char program[] = "/proc/self/exe";
	char *arguments[] = { "perf", "stat", "-x,", "-e", "instructions:u",
			      "--", NULL, "selftest", "--loop", text, NULL };
	char *path = realpath(program, NULL);

	snprintf(text, sizeof(text), "%" PRIu64, turns);
	arguments[6] = path;
	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	setenv("LC_ALL", "C", 1);
	if (path)
		execvp(arguments[0], arguments);
	_exit(127);
}

/*
 * Runs the loop under perf. Returns the exit status, which is 127 if perf is
 * missing.
 */
static int run_once(uint64_t turns, struct run *run)
{
	int end[2], status = -1;
	FILE *from;
	pid_t pid;

	run->perf = run->own = -1;
	if (pipe2(end, O_CLOEXEC))
		return -1;
	pid = fork();
	if (pid == 0)
		become(end[1], turns);
	close(end[1]);
	from = fdopen(end[0], "r");
	if (from) {
		read_lines(from, run);
		fclose(from);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/*
 * Runs the loop several times and takes the minimum. Returns false, with the
 * reason in the row, if no run succeeded.
 */
static bool run_often(uint64_t turns, struct run *least,
		      struct selftest_row *row)
{
	struct run run;
	int i, status;

	least->perf = least->own = -1;
	for (i = 0; i < RUNS; i++) {
		status = run_once(turns, &run);
		if (status == 127) {
			selftest_absent(row, "perf is not installed");
			return false;
		}
		if (status || run.perf < 0 || run.own < 0)
			continue;
		if (least->perf < 0 || run.perf < least->perf)
			least->perf = run.perf;
		if (least->own < 0 || run.own < least->own)
			least->own = run.own;
	}
	if (least->perf < 0)
		selftest_absent(row, "perf stat counts no instructions:u");
	return least->perf >= 0;
}

void selftest_perf(const struct selftest_case *from, struct selftest_row *row)
{
	const uint64_t turns = from->mode == SELFTEST_QUICK ? TURNS_QUICK
							    : TURNS;
	const double work = 2 * (double)turns;
	struct run once, twice;

	if (!from->perf) {
		selftest_absent(row, "--perf was not given");
		return;
	}
	if (!run_often(turns, &once, row) || !run_often(2 * turns, &twice, row))
		return;
	selftest_judge_perf(work, twice.perf - once.perf, twice.own - once.own,
			    SOME + work * PART, START_NOISE, row);
	selftest_figure(row, "perf's slope", "", twice.perf - once.perf);
	selftest_figure(row, "the library's slope", "", twice.own - once.own);
	selftest_say(&row->found, "%.0f instructions more: perf stat %.0f, the "
		     "library %.0f", work, twice.perf - once.perf,
		     twice.own - once.own);
}
