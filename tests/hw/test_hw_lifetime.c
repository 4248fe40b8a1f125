/* SPDX-License-Identifier: MIT */
/* Tests counters across fork, exec, close and the exit of threads. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hw/nops.h"
#include "hw/tool.h"
#include "rows.h"

#define TURNS 1000
#define TURNS_COUNT (TURNS * NOPS_TURN)

static void visit(uint64_t turns)
{
	SELFMON_REGION("visit")
	{
		nops(turns);
	}
}

/* On a real machine each interrupt and fault may count one instruction. */
static bool is_close(uint64_t count, uint64_t expected)
{
	return hw_exact() ? count == expected
			  : count + 500 >= expected && count <= expected + 5000;
}

#define ASSERT_CLOSE(count, expected)                                          \
	cr_assert(is_close(count, expected), "%llu counts, expected %llu",     \
		  (unsigned long long)(count), (unsigned long long)(expected))

/* ---- fork ---------------------------------------------------------------- */

static pid_t libc_fork(void)
{
	return fork();
}

/* Forks without the handlers of pthread_atfork(3). */
static pid_t raw_fork(void)
{
#ifdef SYS_fork
	return (pid_t)syscall(SYS_fork);
#else
	return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
#endif
}

/*
 * In the child: checks that the parent's set counts nothing, and that a new set
 * counts from 0. Returns 0, or the number of the failed check.
 */
static int child_of(const struct selfmon_counters *parents,
		    const struct selfmon_snapshot *begun)
{
	struct selfmon_counters *own, *set = (void *)(uintptr_t)parents;
	struct selfmon_delta one, many;
	struct selfmon_snapshot ended;

	selfmon_counters_end(set, &ended);
	selfmon_counters_delta(set, begun, &ended, &one);
	if (one.value[0].verdict != SELFMON_NOT_COUNTED)
		return 3;
	if (selfmon_counters_open("instructions", 0, &own, NULL) != 1)
		return 4;
	selfmon_counters_begin(own, &ended);
	if (ended.value[0] > 100000)
		return 5;
	nops_visit(own, 1, &one);
	nops_visit(own, 1 + TURNS, &many);
	if (!is_close(many.value[0].count - one.value[0].count, TURNS_COUNT))
		return 6;
	selfmon_counters_close(own);
	selfmon_counters_close(set);
	return 0;
}

/* Returns the count of the parent's visit around a fork and a loop. */
static HW_NOINLINE uint64_t around_fork(struct selfmon_counters *set,
					pid_t (*fork_by)(void), uint64_t turns)
{
	struct selfmon_snapshot a, b;
	struct selfmon_delta delta;
	pid_t pid;

	selfmon_counters_begin(set, &a);
	pid = fork_by();
	if (pid == 0)
		_exit(child_of(set, &a));
	nops(turns);
	selfmon_counters_end(set, &b);
	cr_assert_eq(hw_wait(pid), 0);
	selfmon_counters_delta(set, &a, &b, &delta);
	cr_assert_neq(delta.value[0].verdict, SELFMON_NOT_COUNTED);
	return delta.value[0].count;
}

static void assert_fork(pid_t (*fork_by)(void))
{
	struct selfmon_counters *set = hw_open("instructions");
	uint64_t one, many;

	around_fork(set, fork_by, 1);
	one = around_fork(set, fork_by, 1);
	many = around_fork(set, fork_by, 1 + TURNS);
	/*
	 * A fork does not always execute exactly the same number of
	 * instructions.
	 */
	cr_assert(many - one + 500 >= TURNS_COUNT &&
			  many - one <= TURNS_COUNT + 5000,
		  "%llu counts", (unsigned long long)(many - one));
	selfmon_counters_close(set);
}

Test(hw_lifetime, a_fork_leaves_the_parents_count_and_gives_the_child_none)
{
	assert_fork(libc_fork);
}

Test(hw_lifetime, a_fork_by_system_call_does_the_same)
{
	assert_fork(raw_fork);
}

/* Returns 0 if the report has these visits and instructions. */
static int report_is(uint64_t visits, uint64_t instructions)
{
	struct selfmon_report *report;
	const struct selfmon_row *row;
	uint64_t sum;

	if (selfmon_report_take(&report))
		return 3;
	row = ROWS_FIND(report, "around", "visit");
	if (!row) /* the call tree of a forked child begins at the fork */
		row = ROWS_FIND(report, "visit");
	if (!row || row->visits != visits)
		return 4;
	if (row->counter[0].verdict == SELFMON_NOT_COUNTED)
		return 5;
	sum = row->counter[0].sum;
	selfmon_report_free(report);
	return sum < instructions || sum > instructions + 20000;
}

Test(hw_lifetime, a_child_forked_in_a_region_reports_its_own_work_alone)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	pid_t pid;

	hw_require_pmu();
	options.events = "instructions";
	options.output = NULL;
	cr_assert_eq(selfmon_configure(&options), 0);
	SELFMON_REGION("around")
	{
		visit(100 * TURNS);
		pid = fork();
		visit(pid ? 10 * TURNS : TURNS);
	}
	if (pid == 0)
		_exit(report_is(1, TURNS_COUNT));
	cr_assert_eq(hw_wait(pid), 0);
	cr_assert_eq(report_is(2, 110 * TURNS_COUNT), 0);
}

/* ---- exec ---------------------------------------------------------------- */

/*
 * Returns how many links in /proc/PID/fd and lines of /proc/PID/maps are perf
 * events.
 */
static unsigned int events_of(pid_t pid)
{
	char path[300], text[512];
	const struct dirent *entry;
	unsigned int found = 0;
	ssize_t size;
	FILE *maps;
	DIR *fds;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	fds = opendir(path);
	cr_assert_not_null(fds, "%s: %s", path, strerror(errno));
	while ((entry = readdir(fds))) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%s", pid,
			 entry->d_name);
		size = readlink(path, text, sizeof(text) - 1);
		text[size > 0 ? size : 0] = '\0';
		found += strstr(text, "[perf_event]") != NULL;
	}
	closedir(fds);
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "r");
	cr_assert_not_null(maps, "%s: %s", path, strerror(errno));
	while (fgets(text, sizeof(text), maps))
		found += strstr(text, "[perf_event]") != NULL;
	fclose(maps);
	return found;
}

Test(hw_lifetime, nothing_of_a_set_is_left_after_exec)
{
	int ready[2], hold[2];
	char end;
	pid_t pid;

	hw_require_pmu();
	cr_assert_eq(pipe2(ready, O_CLOEXEC), 0);
	cr_assert_eq(pipe(hold), 0);
	pid = fork();
	if (pid == 0) {
		hw_open("instructions,cycles");
		if (!events_of(getpid()))
			_exit(3);
		dup2(hold[0], STDIN_FILENO);
		close(hold[1]);
		execlp("cat", "cat", (char *)NULL);
		_exit(4);
	}
	/* The exec closes the pipe, which is seen as the end of the file. */
	close(ready[1]);
	cr_assert_eq(read(ready[0], &end, 1), 0);
	cr_assert_eq(waitpid(pid, NULL, WNOHANG), 0, "it did not exec");
	cr_assert_eq(events_of(pid), 0);
	close(hold[1]);
	cr_assert_eq(hw_wait(pid), 0);
}

/* ---- close --------------------------------------------------------------- */

#define READERS 3
#define OPENINGS 300

static bool stop;

/* Reads its own set until it is stopped. Returns NULL, or an error message. */
static void *read_own(void *unused)
{
	struct selfmon_snapshot last, now;
	struct selfmon_counters *set;
	uint64_t reads = 0;

	(void)unused;
	if (selfmon_counters_open("instructions", 0, &set, NULL) != 1)
		return "not opened";
	selfmon_counters_begin(set, &last);
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED) || reads < 1000) {
		selfmon_counters_begin(set, &now);
		if (now.flags & SELFMON_SNAPSHOT_LOST ||
		    now.value[0] - last.value[0] > UINT64_C(1) << 32)
			return "a read was torn or lost";
		last = now;
		reads++;
	}
	selfmon_counters_close(set);
	return NULL;
}

Test(hw_lifetime, a_set_is_closed_while_threads_read_theirs)
{
	pthread_t reader[READERS];
	struct selfmon_counters *set;
	struct selfmon_delta delta;
	void *wrong;
	int i;

	hw_require_pmu();
	for (i = 0; i < READERS; i++)
		cr_assert_eq(pthread_create(&reader[i], NULL, read_own, NULL),
			     0);
	for (i = 0; i < OPENINGS; i++) {
		cr_assert_geq(
			selfmon_counters_open("instructions", 0, &set, NULL),
			1);
		nops_visit(set, 1, &delta);
		cr_assert_neq(delta.value[0].verdict, SELFMON_NOT_COUNTED);
		selfmon_counters_close(set);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < READERS; i++) {
		cr_assert_eq(pthread_join(reader[i], &wrong), 0);
		cr_assert_null(wrong, "%s", (const char *)wrong);
	}
}

/* Closing other sets in any order does not change a set's values. */
Test(hw_lifetime, sets_are_closed_in_any_order)
{
	struct selfmon_counters *set[3];
	struct selfmon_delta one, many;
	size_t first, i;

	tool_require_twins();
	for (first = 0; first < 3; first++) {
		for (i = 0; i < 3; i++)
			set[i] = hw_open("instructions");
		for (i = 0; i < 3; i++) {
			struct selfmon_counters *left = set[(first + 2) % 3];

			nops_visit(left, 1, &one);
			nops_visit(left, 1 + TURNS, &many);
			if (one.off_ns || many.off_ns)
				cr_skip_test("the PMU has no room for three");
			ASSERT_CLOSE(many.value[0].count - one.value[0].count,
				     TURNS_COUNT);
			selfmon_counters_close(set[(first + i) % 3]);
		}
	}
	cr_assert_eq(events_of(getpid()), 0);
}

/* ---- threads ------------------------------------------------------------- */

struct left {
	struct selfmon_counters *set;
	struct selfmon_snapshot last;
};

static void *leave_open(void *out)
{
	struct left *left = out;

	if (selfmon_counters_open("instructions", 0, &left->set, NULL) != 1)
		return "not opened";
	nops(TURNS);
	selfmon_counters_end(left->set, &left->last);
	return NULL;
}

Test(hw_lifetime, the_set_of_a_thread_that_ended_keeps_its_count)
{
	struct selfmon_snapshot now, later;
	struct left left;
	pthread_t thread;
	void *wrong;

	hw_require_pmu();
	cr_assert_eq(pthread_create(&thread, NULL, leave_open, &left), 0);
	cr_assert_eq(pthread_join(thread, &wrong), 0);
	cr_assert_null(wrong, "%s", (const char *)wrong);
	selfmon_counters_begin(left.set, &now);
	cr_assert(now.flags & SELFMON_SNAPSHOT_SLOW);
	cr_assert_not(now.flags & SELFMON_SNAPSHOT_LOST);
	cr_assert(now.value[0] >= left.last.value[0] &&
			  now.value[0] < left.last.value[0] + 100000,
		  "%llu after %llu", (unsigned long long)now.value[0],
		  (unsigned long long)left.last.value[0]);
	selfmon_counters_begin(left.set, &later);
	cr_assert_eq(later.value[0], now.value[0], "a dead thread counts");
	selfmon_counters_close(left.set);
	cr_assert_eq(events_of(getpid()), 0);
}
