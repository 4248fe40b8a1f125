/* SPDX-License-Identifier: MIT */
/* Tests counter sets whose descriptors are closed, or whose read calls fail. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "counters/set.h"
#include "no_timestamp.h"
#include "rows.h"

#define EVENTS "task-clock,page-faults"
#define FDS 4096

static void configure(void)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = EVENTS;
	options.output = NULL;
	cr_assert_eq(selfmon_configure(&options), 0);
}

static __attribute__((noinline)) void visit(int visits)
{
	while (visits-- > 0)
		SELFMON_REGION("visit")
			selfmon_compiler_fence();
}

/*
 * Waits 3 ms. At the start of a visit, the library trusts an earlier check of a
 * descriptor for at most 1 ms.
 */
static void wait_a_while(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 3000000 }, NULL);
}

static bool is_event(int fd)
{
	uint64_t id;

	return ioctl(fd, PERF_EVENT_IOC_ID, &id) == 0;
}

/* The descriptors of events, stored before all are closed. */
static int event_fd[FDS];
static int events;

static void close_all(void)
{
	int fd;

	for (fd = 3; fd < FDS; fd++) {
		if (is_event(fd))
			event_fd[events++] = fd;
		close(fd);
	}
	if (!events)
		_exit(3);
	wait_a_while();
}

/* ---- descriptors ---------------------------------------------------------- */

/*
 * Runs body in a child, because body closes descriptors that Criterion needs.
 */
static int status_of(void (*body)(void))
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		alarm(20);
		body();
		_exit(0);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? 256 + WTERMSIG(status)
				   : WEXITSTATUS(status);
}

/*
 * Returns 1 if the first `before` visits have values, and the next `after`
 * visits have only their time.
 */
static int is_lost(uint64_t before, uint64_t after)
{
	struct selfmon_report *report;
	const struct selfmon_row *row;

	if (selfmon_report_take(&report))
		return 0;
	row = ROWS_FIND(report, "visit");
	return row && row->visits == before + after &&
	       row->counter[0].visits == before && row->lost == after;
}

static void lose_descriptors(void)
{
	configure();
	visit(10);
	close_all();
	visit(10);
	_exit(is_lost(10, 10) ? 7 : 1);
}

Test(region_taken, closed_descriptors_lose_values_and_say_so)
{
	cr_assert_eq(status_of(lose_descriptors), 7);
}

/*
 * Puts a pipe of the program, with a message in it, at each descriptor number
 * that the library used.
 */
static int ends[2];

static void reuse_numbers(void)
{
	int i;

	if (pipe2(ends, O_NONBLOCK) ||
	    write(ends[1], "the host's own message, 32 bytes", 32) != 32)
		_exit(2);
	for (i = 0; i < events; i++)
		if (dup2(ends[0], event_fd[i]) < 0)
			_exit(2);
}

static int are_untouched(void)
{
	char text[64];
	int i;

	for (i = 0; i < events; i++)
		if (fcntl(event_fd[i], F_GETFD) < 0)
			return 0;
	return read(ends[0], text, sizeof(text)) == 32;
}

static void reuse_descriptors(void)
{
	configure();
	visit(10);
	close_all();
	reuse_numbers();
	visit(10);
	_exit(is_lost(10, 10) && are_untouched() ? 7 : 1);
}

Test(region_taken, a_number_used_again_is_not_read)
{
	cr_assert_eq(status_of(reuse_descriptors), 7);
}

/*
 * The visit lasts 0.2 s. Its end checks the descriptors again, because the
 * check at its start is trusted for at most 0.1 s.
 */
static void reuse_in_a_long_visit(void)
{
	configure();
	SELFMON_REGION("visit")
	{
		close_all();
		reuse_numbers();
		nanosleep(&(struct timespec){ .tv_nsec = 200000000 }, NULL);
	}
	_exit(is_lost(0, 1) && are_untouched() ? 7 : 1);
}

Test(region_taken, nor_at_the_end_of_a_long_visit)
{
	cr_assert_eq(status_of(reuse_in_a_long_visit), 7);
}

static void *visit_once(void *barrier)
{
	visit(1);
	pthread_barrier_wait(barrier); /* visited */
	pthread_barrier_wait(barrier); /* the descriptors are now other files */
	return NULL;
}

static void end_thread(void)
{
	pthread_barrier_t barrier;
	pthread_t thread;

	configure();
	visit(10);
	pthread_barrier_init(&barrier, NULL, 2);
	if (pthread_create(&thread, NULL, visit_once, &barrier))
		_exit(2);
	pthread_barrier_wait(&barrier);
	close_all();
	reuse_numbers();
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	_exit(are_untouched() ? 7 : 1);
}

Test(region_taken, a_number_used_again_is_not_closed_at_a_threads_end)
{
	cr_assert_eq(status_of(end_thread), 7);
}

static void close_set(void)
{
	struct selfmon_counters *set;

	if (selfmon_counters_open(EVENTS, 0, &set, NULL) != 2)
		_exit(2);
	close_all();
	reuse_numbers();
	selfmon_counters_close(set);
	_exit(are_untouched() ? 7 : 1);
}

Test(region_taken, a_number_used_again_is_not_closed_with_its_set)
{
	cr_assert_eq(status_of(close_set), 7);
}

/*
 * Opens a second set with the same events at the descriptor numbers of the
 * first set, which the program has closed. Only the kernel's ids of the events
 * are different.
 */
static void open_twins(void)
{
	struct selfmon_counters *ours, *twin;
	struct selfmon_snapshot before, after;

	if (selfmon_counters_open(EVENTS, 0, &ours, NULL) != 2)
		_exit(2);
	selfmon_counters_begin(ours, &before);
	close_all();
	if (selfmon_counters_open(EVENTS, 0, &twin, NULL) != 2 ||
	    selfmon_set_of(twin)->member[0].fd_plus_1 !=
		    selfmon_set_of(ours)->member[0].fd_plus_1)
		_exit(3);
	selfmon_counters_end(ours, &after);
	if (!(after.flags & SELFMON_SNAPSHOT_LOST_REST))
		_exit(4);
	selfmon_counters_close(ours);
	selfmon_counters_end(twin, &after);
	_exit(after.flags & SELFMON_SNAPSHOT_LOST_REST ? 5 : 7);
}

Test(region_taken, another_set_at_the_number_is_neither_read_nor_closed)
{
	cr_assert_eq(status_of(open_twins), 7);
}

/* ---- system calls --------------------------------------------------------- */

/*
 * Makes these two system calls fail with EPERM from now on. All other calls
 * work. Returns 0, or -1 if the kernel has no filters.
 */
static int deny(int first, int second)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)first, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)second, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {
		.len = sizeof(filter) / sizeof(filter[0]), .filter = filter
	};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void deny_reads(void)
{
	configure();
	visit(10);
	if (deny(SYS_read, SYS_pread64))
		_exit(77);
	errno = 0;
	visit(10);
	if (errno)
		/* The failed reads must not change errno. */
		_exit(2);
	_exit(is_lost(10, 10) ? 7 : 1);
}

static void deny_ioctl(void)
{
	configure();
	visit(10);
	if (deny(SYS_ioctl, SYS_pread64))
		_exit(77);
	wait_a_while();
	visit(10);
	_exit(is_lost(20, 0) ? 7 : 1);
}

static void assert_7(int status)
{
	if (status == 77)
		cr_skip_test("this kernel has no seccomp filters");
	cr_assert_eq(status, 7);
}

Test(region_taken, a_filter_that_refuses_reads_loses_values_and_says_so)
{
	assert_7(status_of(deny_reads));
}

Test(region_taken, one_that_refuses_ioctl_loses_nothing)
{
	assert_7(status_of(deny_ioctl));
}

static void *visit_ten(void *unused)
{
	visit(10);
	return unused;
}

static void deny_opening(void)
{
	struct selfmon_report *report;
	const struct selfmon_row *row;
	pthread_t thread;

	configure();
	visit(10);
	if (deny(SYS_perf_event_open, SYS_perf_event_open))
		_exit(77);
	if (pthread_create(&thread, NULL, visit_ten, NULL))
		_exit(2);
	pthread_join(thread, NULL);
	if (selfmon_report_take(&report))
		_exit(3);
	row = ROWS_FIND(report, "visit");
	_exit(row && row->visits == 20 && row->counter[0].visits == 10 ? 7 : 1);
}

Test(region_taken, a_filter_that_refuses_events_leaves_new_threads_their_time)
{
	assert_7(status_of(deny_opening));
}

#if defined(__x86_64__)
/*
 * Tests a known limit: if timestamps are forbidden, the library's next read of
 * the timestamp counter ends the program. The strict mode of seccomp(2) forbids
 * timestamps, too.
 */
static void lose_timestamps(void)
{
	configure();
	visit(10);
	prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
	signal(SIGSEGV, SIG_DFL);
	visit(1);
}

Test(region_taken, forbidden_timestamps_end_the_program)
{
	SKIP_IF_TIMESTAMPS_CANNOT_BE_FORBIDDEN();
	cr_assert_eq(status_of(lose_timestamps), 256 + SIGSEGV);
}
#endif
