/* SPDX-License-Identifier: MIT */
/*
 * Tests stacks whose bounds are hard to find:
 * - in a child forked from a thread;
 * - in a child of clone(2);
 * - in a main thread whose stack is larger than its present limit;
 * - in a thread that cannot read /proc.
 *
 * No visit is lost. If the bounds can be found, the next enter ends the visits
 * that a jump skipped. Visits after the first two make no system call.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "forbid.h"
#include "store/process.h"
#include "store/self.h"
#include "rows.h"
#include "sanitizer.h"

#define TIMES 1000
#define STACK ((size_t)1 << 20)

/* A child's results, in memory shared with its parent. */
struct outcome {
	uint64_t visits, left, open, switched, too_deep, stale;
	enum selfmon_stack stack;
	uint32_t mode;
};

static struct outcome *outcome;
static jmp_buf env;

static void share_outcome(void)
{
	outcome = mmap(NULL, sizeof(*outcome), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq((void *)outcome, MAP_FAILED);
}

TestSuite(host_own_stack, .init = share_outcome);

static __attribute__((noinline)) void visit(void)
{
	SELFMON_REGION("visit")
	{
	}
}

/* gcc does not consider a longjmp to be the end of a recursion. */
#pragma GCC diagnostic push
#if !defined(__clang__) && __GNUC__ >= 12
#pragma GCC diagnostic ignored "-Winfinite-recursion"
#endif
/*
 * Calls itself this many times, with frames of 256 bytes, then jumps out of a
 * region.
 */
static __attribute__((noinline)) void jump_out(int depth)
{
	volatile char frame[256];

	frame[0] = 0;
	if (depth > 0)
		jump_out(depth - 1);
	SELFMON_REGION("left")
	{
		longjmp(env, 1 + frame[0]);
	}
	frame[1] = frame[0];
}
#pragma GCC diagnostic pop

static __attribute__((noinline)) void jump_about(void)
{
	volatile int i;

	for (i = 0; i < TIMES; i++) {
		if (!setjmp(env))
			jump_out(i * 7 % 50);
		visit();
	}
}

static void add_row(const struct selfmon_row *row)
{
	outcome->switched += row->switched;
	if (!strcmp(row->name, "visit"))
		outcome->visits += row->visits;
	if (!strcmp(row->name, "left")) {
		outcome->left += row->cut_off;
		outcome->open += row->open;
	}
}

static void note_outcome(void)
{
	const struct selfmon_thread *const thread = selfmon_thread_self();
	struct selfmon_report *const report = rows_take();
	size_t i;

	for (i = 0; i < selfmon_report_row_count(report); i++)
		add_row(selfmon_report_row(report, i));
	outcome->too_deep = thread->record->too_deep;
	outcome->stale = selfmon_process()->stale;
	outcome->stack = thread->stack;
	outcome->mode = thread->mode;
	selfmon_report_free(report);
}

/*
 * The first two visits may make system calls: on a stack that is not the
 * thread's own, the general path calls sigaltstack(2). System calls are
 * forbidden after the first two visits: a later call ends the child by a
 * signal.
 */
static void stay_quiet(void)
{
	int i;

	visit();
	visit();
	if (forbid_system_calls())
		syscall(SYS_exit_group, 2);
	for (i = 0; i < TIMES; i++)
		visit();
	syscall(SYS_exit_group, 0);
}

static int jump_in_child(void *unused)
{
	(void)unused;
	jump_about();
	note_outcome();
	_exit(0);
}

static int quiet_in_child(void *unused)
{
	(void)unused;
	stay_quiet();
	return 1;
}

static void wait_for(pid_t pid)
{
	int status;

	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFEXITED(status), "signal %d", WTERMSIG(status));
	cr_assert_eq(WEXITSTATUS(status), 0);
}

static void *fork_from_here(void *body)
{
	const pid_t pid = fork();

	if (pid == 0)
		(*(int (**)(void *))body)(NULL);
	wait_for(pid);
	return NULL;
}

static void on_thread(void *(*start)(void *), void *argument)
{
	pthread_t thread;

	cr_assert_eq(pthread_create(&thread, NULL, start, argument), 0);
	pthread_join(thread, NULL);
}

/* The parent makes a visit first, which must not affect the child. */
static void fork_from_thread(int (*body)(void *))
{
	visit();
	on_thread(fork_from_here, (void *)&body);
}

static void clone_with_stack(int (*body)(void *))
{
	char *const stack = malloc(STACK);

	visit();
	cr_assert_not_null(stack);
	wait_for(clone(body, stack + STACK, SIGCHLD, NULL));
	free(stack);
}

static void check_counted(void)
{
	cr_assert_eq(outcome->visits, TIMES);
	cr_assert_eq(outcome->too_deep, 0);
	cr_assert_eq(outcome->switched, 0);
	cr_assert_eq(outcome->stale, 0);
	cr_assert_eq(outcome->left + outcome->open, TIMES);
	cr_assert_not(outcome->mode & SELFMON_MODE_STACKS);
}

/*
 * No visit is open: the enter after each jump ended the visit that was jumped
 * out of.
 */
static void check_healed(void)
{
	check_counted();
	cr_assert_eq(outcome->stack, SELFMON_STACK_EXACT);
	cr_assert_eq(outcome->open, 0);
}

Test(host_own_stack, of_a_child_forked_from_a_thread_ends_what_jumps_pass)
{
	SKIP_IF_SANITIZED("longjmp");
	fork_from_thread(jump_in_child);
	check_healed();
}

Test(host_own_stack, of_a_child_forked_from_a_thread_costs_no_call)
{
	SKIP_IF_SANITIZED("it makes system calls of its own");
	fork_from_thread(quiet_in_child);
}

Test(host_own_stack, that_clone_was_given_loses_no_visit)
{
	SKIP_IF_SANITIZED("clone");
	clone_with_stack(jump_in_child);
	check_counted();
}

Test(host_own_stack, that_clone_was_given_costs_no_call)
{
	SKIP_IF_SANITIZED("it makes system calls of its own");
	clone_with_stack(quiet_in_child);
}

/* Calls a function kib KiB further down the stack. */
static __attribute__((noinline)) void call_deep(int kib, int (*body)(void *))
{
	volatile char frame[1024];

	frame[0] = 0;
	if (kib > 0)
		call_deep(kib - 1, body);
	else
		body(NULL);
	frame[1023] = frame[0];
}

static void limit_stack(rlim_t size)
{
	struct rlimit limit;

	getrlimit(RLIMIT_STACK, &limit);
	limit.rlim_cur = size;
	setrlimit(RLIMIT_STACK, &limit);
}

static int nothing(void *unused)
{
	(void)unused;
	return 0;
}

static int lower_and_jump(void *unused)
{
	limit_stack(STACK);
	return jump_in_child(unused);
}

/*
 * Before the first visit, the stack grows to 3 MiB. The first visit is at a
 * depth of 2 MiB, where the limit is lowered to 1 MiB.
 */
static void first_visit_beyond(void)
{
	call_deep(3072, nothing);
	call_deep(2048, lower_and_jump);
}

static void later_visits_beyond(void)
{
	call_deep(3072, nothing);
	limit_stack(STACK);
	visit();
	outcome->visits--;
	call_deep(2048, jump_in_child);
}

static void in_child(void (*body)(void))
{
	const pid_t pid = fork();

	if (pid == 0) {
		body();
		_exit(3);
	}
	wait_for(pid);
}

Test(host_own_stack, of_main_that_is_longer_than_its_limit_now)
{
	SKIP_IF_SANITIZED("longjmp");
	in_child(first_visit_beyond);
	check_healed();
}

Test(host_own_stack, of_main_that_was_longer_before_the_first_visit)
{
	SKIP_IF_SANITIZED("longjmp");
	in_child(later_visits_beyond);
	check_healed();
}

static void *jump_on_thread(void *unused)
{
	(void)unused;
	jump_about();
	note_outcome();
	return NULL;
}

Test(host_own_stack, of_a_thread_ends_what_jumps_pass)
{
	SKIP_IF_SANITIZED("longjmp");
	on_thread(jump_on_thread, NULL);
	check_healed();
}

/* No descriptor is free, so /proc cannot be read. */
static void *jump_without_maps(void *unused)
{
	struct rlimit limit, none;

	visit();
	outcome->visits--;
	getrlimit(RLIMIT_NOFILE, &limit);
	none = limit;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &none);
	jump_about();
	setrlimit(RLIMIT_NOFILE, &limit);
	note_outcome();
	return unused;
}

Test(host_own_stack, that_nobody_can_know_loses_no_visit)
{
	SKIP_IF_SANITIZED("longjmp");
	on_thread(jump_without_maps, NULL);
	check_counted();
	cr_assert_eq(outcome->stack, SELFMON_STACK_WIDE);
}
