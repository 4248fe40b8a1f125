/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "selftest_run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/kernel.h"
#include "selftest_agree.h"
#include "selftest_clock.h"
#include "selftest_cost.h"
#include "selftest_exact.h"
#include "selftest_move.h"
#include "selftest_off_cpu.h"
#include "selftest_overhead.h"
#include "selftest_perf.h"
#include "selftest_print.h"
#include "selftest_rotate.h"
#include "selftest_row.h"
#include "selftest_samples.h"
#include "selftest_switch.h"
#include "tool.h"

#define MS UINT64_C(1000000)
#define ATTEMPTS 3

enum needs {
	NOTHING,
	A_PMU,
	USER_READS
};

/* All checks. ms is the time limit of one attempt with --quick. */
static const struct {
	const char *name;
	selftest_check_fn *run;
	enum needs needs;
	unsigned int ms;
	bool (*prepare)(struct selftest_row *row);
} checks[] = {
	{ "exact", selftest_exact, A_PMU, 500, NULL },
	{ "slope", selftest_slope, A_PMU, 250, NULL },
	{ "agree", selftest_agree, USER_READS, 100, NULL },
	{ "perf", selftest_perf, A_PMU, 600, NULL },
	{ "wrap", selftest_wrap, A_PMU, 300, NULL },
	{ "rotate", selftest_rotate, A_PMU, 900, NULL },
	{ "move", selftest_move, A_PMU, 150, NULL },
	{ "preempt", selftest_preempt, A_PMU, 300, NULL },
	{ "clock", selftest_clock, NOTHING, 450, NULL },
	{ "faults", selftest_faults, NOTHING, 50, NULL },
	{ "cost", selftest_cost, NOTHING, 300, NULL },
	{ "switch", selftest_switches, NOTHING, 200, NULL },
	{ "off-cpu", selftest_off_cpu, NOTHING, 60, NULL },
	{ "samples", selftest_samples, NOTHING, 300, NULL },
	{ "overhead", selftest_overhead, A_PMU, 250,
	  selftest_overhead_prepare },
};

#define CHECKS (sizeof(checks) / sizeof(checks[0]))

_Static_assert(CHECKS <= SELFTEST_ROWS, "a result has room for all rows");

/*
 * The time limits of the checks are those of --quick times a factor. After
 * limit_ms no check is started. A check that runs then may use its own limit.
 */
static const unsigned int factor[] = { [SELFTEST_QUICK] = 1,
				       [SELFTEST_NORMAL] = 5,
				       [SELFTEST_FULL] = 40 };
static const uint64_t limit_ms[] = { [SELFTEST_QUICK] = 5000,
				     [SELFTEST_NORMAL] = 30000,
				     [SELFTEST_FULL] = 180000 };

static uint64_t budget_ns(const struct selftest_case *from, size_t i)
{
	return checks[i].ms * factor[from->mode] * MS;
}

/*
 * The time limit of all checks. A check is not started if it might exceed the
 * limit, unless its process has already prepared it.
 */
struct time_left {
	uint64_t end_ns;
};

static uint64_t left_ns(const struct time_left *time)
{
	const uint64_t now = selfmon_kernel_monotonic_ns();

	return now < time->end_ns ? time->end_ns - now : 0;
}

/*
 * Waits until the process exits. Returns false if it had to be killed at the
 * time limit.
 */
static bool await(pid_t pid, uint64_t limit_ns, int *status)
{
	const uint64_t end = selfmon_kernel_monotonic_ns() + limit_ns;
	pid_t ended;

	while ((ended = waitpid(pid, status, WNOHANG)) == 0 ||
	       (ended < 0 && errno == EINTR)) {
		if (selfmon_kernel_monotonic_ns() >= end) {
			kill(pid, SIGKILL);
			waitpid(pid, status, 0);
			return false;
		}
		selfmon_kernel_sleep_ns(MS);
	}
	return ended == pid;
}

static void judge_end(int status, struct selftest_row *row)
{
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return;
	row->status = SELFTEST_FAIL;
	if (WIFSIGNALED(status))
		selftest_say(&row->reason, "ended by signal %d (%s)",
			     WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		selftest_say(&row->reason, "ended with status %d",
			     WEXITSTATUS(status));
}

/*
 * The process of a check. It prepares the check, waits for a byte from the
 * pipe, runs the check, and exits.
 */
struct worker {
	pid_t pid; /* 0: none */
	int go;
};

static void work(const struct selftest_case *from, size_t i, int go,
		 struct selftest_row *row)
{
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (checks[i].prepare && !checks[i].prepare(row))
		return;
	if (read(go, &byte, 1) >= 0)
		checks[i].run(from, row);
}

static struct worker start(const struct selftest_case *from, size_t i,
			   struct selftest_row *row)
{
	struct worker worker = { 0, -1 };
	struct selftest_case own = *from;
	int end[2];

	memset(row, 0, sizeof(*row));
	row->name = checks[i].name;
	own.budget_ns = budget_ns(from, i);
	if (pipe2(end, O_CLOEXEC))
		return worker;
	fflush(NULL);
	worker.pid = fork();
	if (worker.pid == 0) {
		close(end[1]);
		work(&own, i, end[0], row);
		_exit(0);
	}
	close(end[0]);
	worker.go = end[1];
	return worker;
}

static void finish(const struct worker *worker, uint64_t limit_ns,
		   struct selftest_row *row)
{
	int status = 0;

	if (worker->go >= 0 && write(worker->go, "", 1) != 1)
		selftest_absent(row, "cannot create a pipe: %s",
				strerror(errno));
	if (worker->go >= 0)
		close(worker->go);
	if (worker->pid <= 0)
		selftest_absent(row, "cannot create a process: %s",
				strerror(errno));
	else if (!await(worker->pid, limit_ns, &status))
		selftest_absent(row, "too busy: no answer in time");
	else
		judge_end(status, row);
}

static bool applies(const struct selftest_case *from, enum needs needs,
		    struct selftest_row *row)
{
	if (needs != NOTHING && !from->pmu)
		selftest_absent(row, "no hardware events: see selfmon doctor");
	else if (needs == USER_READS && !from->user_reads)
		selftest_absent(row, "counters are read by system call here: "
				"see selfmon doctor");
	return row->status == SELFTEST_PASS;
}

/* Sets the final status of a row whose check was disturbed in each attempt. */
static void settle(struct selftest_row *row)
{
	struct selfmon_sentence why = row->reason;

	if (row->status != SELFTEST_BUSY)
		return;
	row->status = SELFTEST_ABSENT;
	row->reason.length = 0;
	selftest_say(&row->reason, "too busy: %s", why.text);
}

/*
 * Runs a check, at most ATTEMPTS times, until it is not disturbed or the time
 * is over.
 */
static void run_check(const struct selftest_case *from, size_t i,
		      const struct time_left *time, struct worker *worker,
		      struct selftest_row *row)
{
	const uint64_t budget = budget_ns(from, i);
	int attempt;

	if (!worker->pid && left_ns(time) < budget) {
		selftest_absent(row, "too busy: no time was left");
		return;
	}
	for (attempt = 1;; attempt++) {
		if (!worker->pid)
			*worker = start(from, i, row);
		finish(worker, left_ns(time) + budget, row);
		worker->pid = 0;
		if (row->status != SELFTEST_BUSY || attempt == ATTEMPTS ||
		    left_ns(time) < 2 * budget)
			break;
	}
	settle(row);
}

void selftest_run_all(const struct selftest_case *from, uint64_t began,
		      FILE *text, struct selftest_result *result)
{
	const struct time_left time = { began + limit_ms[from->mode] * MS };
	struct worker worker[CHECKS] = { { 0, -1 } };
	struct selftest_row *row;
	size_t i;

	/* Shared memory, so that the children can fill in the rows. */
	row = mmap(NULL, sizeof(*row) * CHECKS, PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (row == MAP_FAILED)
		return;
	for (i = 0; i < CHECKS; i++) {
		row[i].name = checks[i].name;
		if (applies(from, checks[i].needs, &row[i]) &&
		    checks[i].prepare)
			worker[i] = start(from, i, &row[i]);
	}
	for (i = 0; i < CHECKS; i++) {
		if (row[i].status == SELFTEST_PASS)
			run_check(from, i, &time, &worker[i], &row[i]);
		if (text) {
			selftest_print_row(&row[i], tool_has_colours(text),
					   text);
			fflush(text);
		}
	}
	result->rows = CHECKS;
	result->row = row;
}
