/* SPDX-License-Identifier: MIT */
/*
 * A span is left on another thread while its owner leaves what is around it, or
 * cuts it off: one of the two stands still at an instruction of what it does,
 * each one in turn, while the other does the whole of its own. Or a handler
 * jumps out of the leave elsewhere there.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "long.h"
#include "region/process.h"
#include "region/state.h"
#include "rows.h"
#include "sanitizer.h"

#define SPANS 3

/* Of the two threads of a child, and of the parent, which steps one of them. */
static struct told {
	uint64_t rounds;
	bool last;    /* no round after this one */
	bool left;    /* the thread that is stepped has left */
	bool go;      /* the other one may leave ... */
	bool between; /* ... and has left */
	uint64_t around, spans, foreign, cut_off; /* visits in the report ... */
	uint64_t wrong; /* ... and what it tells that must not be */
	uint64_t stale; /* leaves of visits that had been cut off */
} *told;

static bool is_told(const bool *what)
{
	return __atomic_load_n(what, __ATOMIC_ACQUIRE);
}

static void tell(bool *what, bool value)
{
	__atomic_store_n(what, value, __ATOMIC_RELEASE);
}

static void wait_for(const bool *what)
{
	while (!is_told(what))
		usleep(20);
}

static void setup(void)
{
	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq(told, MAP_FAILED);
#if !defined(__x86_64__)
	cr_skip_test("stepped on x86-64 alone: elsewhere an atomic operation "
		     "is a loop that no step gets out of, or nothing steps");
#endif
	setenv("SELFMON_OUTPUT", "none", 1);
	setenv("SELFMON_EVENTS", "none", 1);
}

TestSuite(region_elsewhere_step, .init = setup, .timeout = 900);

/* ---- the child ----------------------------------------------------------- */

static struct selfmon_frame around, span[SPANS];
static pthread_barrier_t barrier;
static bool owner_is_stepped, owner_cuts_off, stepped_is_jumped_out_of;
static sigjmp_buf out;

static void owner_enters(void)
{
	int i;

	selfmon_enter(selfmon_region("around"), &around);
	for (i = 0; i < SPANS; i++)
		selfmon_enter(selfmon_region("span"), &span[i]);
}

/* Which span is left elsewhere; only the newest can be cut off. */
static uint64_t chosen(uint64_t round)
{
	return owner_cuts_off ? SPANS - 1 : round % SPANS;
}

static void owner_leaves_the_rest(uint64_t round)
{
	uint64_t i;

	for (i = 0; i < SPANS; i++)
		if (i != chosen(round) || stepped_is_jumped_out_of)
			selfmon_leave(&span[i]);
	if (owner_cuts_off)
		selfmon_leave(&around);
}

static void end(bool owner, uint64_t round)
{
	if (!owner)
		selfmon_leave(&span[chosen(round)]);
	else if (owner_cuts_off)
		selfmon_unwind_cut_off(selfmon_thread_attach());
	else
		selfmon_leave(&around);
}

/* False: it was the last one. */
static bool play_round(bool stepped)
{
	const bool owner = stepped == owner_is_stepped;
	const uint64_t round = told->rounds;
	bool last;

	if (owner)
		owner_enters();
	pthread_barrier_wait(&barrier);
	if (stepped) {
		if (!sigsetjmp(out, 1)) {
			raise(SIGSTOP);
			end(owner, round);
		}
		tell(&told->left, true);
		wait_for(&told->between);
	} else {
		wait_for(&told->go);
		end(owner, round);
		tell(&told->between, true);
	}
	pthread_barrier_wait(&barrier);
	if (owner)
		owner_leaves_the_rest(round);
	last = is_told(&told->last);
	pthread_barrier_wait(&barrier);
	if (stepped) {
		told->rounds++;
		told->left = told->go = told->between = false;
	}
	pthread_barrier_wait(&barrier);
	return !last;
}

static void *play_other(void *unused)
{
	while (play_round(false))
		;
	return unused;
}

static void tell_report(void)
{
	struct selfmon_report *const report = rows_take();
	size_t i;

	for (i = 0; i < selfmon_report_rows(report); i++) {
		const struct selfmon_row *row = selfmon_report_row(report, i);

		if (strcmp(row->name, "around") == 0)
			told->around += row->visits;
		else
			told->spans += row->visits;
		told->foreign += row->foreign;
		told->cut_off += row->cut_off;
		told->wrong += row->open + row->lost;
	}
	told->stale = selfmon_process()->stale;
	selfmon_report_free(report);
}

static void jump_out(int number)
{
	(void)number;
	siglongjmp(out, 1);
}

static __attribute__((noreturn)) void play(void)
{
	pthread_t other;

	signal(SIGUSR1, jump_out);
	pthread_barrier_init(&barrier, NULL, 2);
	if (pthread_create(&other, NULL, play_other, NULL) ||
	    ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(1);
	while (play_round(true))
		;
	pthread_join(other, NULL);
	tell_report();
	_exit(0);
}

/* ---- its parent ---------------------------------------------------------- */

/* One round, in which the leave stands still after some steps. */
static void step_round(pid_t child, uint64_t steps)
{
	const long signal = stepped_is_jumped_out_of ? SIGUSR1 : 0;
	int status;

	while (steps-- > 0 && !is_told(&told->left)) {
		cr_assert_eq(ptrace(PTRACE_SINGLESTEP, child, NULL, NULL), 0);
		cr_assert_eq(waitpid(child, &status, 0), child);
		cr_assert(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP,
			  "status %#x", (unsigned int)status);
	}
	tell(&told->last, is_told(&told->left));
	tell(&told->go, true);
	wait_for(&told->between);
	cr_assert_eq(ptrace(PTRACE_CONT, child, NULL, signal), 0);
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(is_told(&told->last) ? WIFEXITED(status) :
					 WIFSTOPPED(status),
		  "status %#x", (unsigned int)status);
}

/* A step is a switch of processes, and ten times as fast on one CPU. */
static void stay_on_this_cpu(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)sched_getcpu(), &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* From the raised signal on: some 50 steps are not of what is stepped. */
static void run(int stride)
{
	uint64_t steps = 0;
	pid_t child;
	int status;

	SKIP_IF_SANITIZED("it makes too many steps of one");
	stay_on_this_cpu();
	child = fork();
	if (child == 0)
		play();
	cr_assert_eq(waitpid(child, &status, 0), child);
	if (!WIFSTOPPED(status))
		cr_skip_test("this process may not trace its children");
	for (; !is_told(&told->last); steps += (uint64_t)stride)
		step_round(child, steps);
	cr_assert_geq(told->rounds, 100 / (uint64_t)stride);
	cr_assert_eq(told->around, told->rounds);
	cr_assert_eq(told->spans + told->cut_off, told->rounds * SPANS);
	cr_assert_eq(told->wrong, 0);
}

/* Neither lost nor counted twice. */
static void check_once(void)
{
	cr_assert_eq(told->foreign + told->cut_off, told->rounds);
	cr_assert_eq(told->stale, told->cut_off);
}

Test(region_elsewhere_step, at_instructions_of_the_owners_leave)
{
	owner_is_stepped = true;
	run(long_or_short(1, 29));
	check_once();
	cr_assert_eq(told->cut_off, 0);
}

Test(region_elsewhere_step, at_instructions_of_the_leave_elsewhere)
{
	run(long_or_short(1, 2));
	check_once();
	cr_assert_eq(told->cut_off, 0);
}

Test(region_elsewhere_step, at_instructions_of_the_owners_cut_off)
{
	owner_is_stepped = true;
	owner_cuts_off = true;
	run(1);
	check_once();
	cr_assert_gt(told->cut_off, 0);
	cr_assert_gt(told->foreign, 0);
}

Test(region_elsewhere_step, at_instructions_of_a_leave_of_what_is_cut_off)
{
	owner_cuts_off = true;
	run(long_or_short(1, 3));
	check_once();
	cr_assert_gt(told->cut_off, 0);
	cr_assert_gt(told->foreign, 0);
}

/* Its owner leaves it after that, unless it has been left. */
Test(region_elsewhere_step, at_instructions_of_a_leave_that_is_jumped_out_of)
{
	stepped_is_jumped_out_of = true;
	run(long_or_short(1, 3));
	cr_assert_eq(told->cut_off, 0);
	cr_assert_gt(told->foreign, 0);
	cr_assert_lt(told->foreign, told->rounds);
}
