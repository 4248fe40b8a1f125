/* SPDX-License-Identifier: MIT */
/*
 * Tests regions in which each counter read faults: the pages of kernel_faults.h
 * name a counter that no machine has.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <selfmon.h>

#include "counters/guard.h"
#include "counters/set.h"
#include "fault/kernel_faults.h"
#include "store/process.h"
#include "rows.h"

#define VISITS 1000
#define FOUR "cycles,instructions,branches,cache-misses"

static void die(int signo)
{
	_exit(signo);
}

static void configure(const char *events)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	if (!SELFMON_ARCH_RAW_IS_CLEAN)
		cr_skip_test("any number may be a counter's on x86-64 alone");
	kernel_faults_clear();
	kernel_faults.pmu = true;
	options.events = events;
	options.output = NULL;
	options.guard = true;
	cr_assert_eq(selfmon_configure(&options), 0);
}

static __attribute__((noinline)) void visit(int visits)
{
	while (visits-- > 0)
		SELFMON_REGION("guarded") {
			SELFMON_REGION("inner")
				selfmon_compiler_fence();
		}
}

static void assert_counted(uint64_t visits)
{
	struct selfmon_report *report;
	const struct selfmon_row *row;

	report = rows_take();
	row = ROWS_GET(report, "guarded");
	cr_assert_eq(row->visits, visits);
	cr_assert_eq(row->counter[0].visits, visits, "no value was lost");
	cr_assert_eq(row->counter[0].verdict, SELFMON_SYSCALL);
	cr_assert_eq(row->slow, visits);
	cr_assert_eq(row->impossible + row->lost, 0);
	cr_assert_geq(row->counter[0].sum,
		      ROWS_GET(report, "guarded", "inner")
			      ->counter[0].sum);
	selfmon_report_free(report);
}

Test(region_guard, visits_go_on_by_system_call)
{
	configure(FOUR);
	visit(VISITS);
	assert_counted(VISITS);
	cr_assert_eq(selfmon_guard_taken(), 1);
}

Test(region_guard, so_do_those_with_another_number_of_counters)
{
	configure("cycles,instructions");
	visit(VISITS);
	assert_counted(VISITS);
}

/* A fault costs two switches to the kernel, so a set must fault only once. */
Test(region_guard, the_counters_of_a_thread_fault_once)
{
	configure(FOUR);
	visit(1);
	cr_assert_eq(selfmon_guard_taken(), 1);
	signal(SIGSEGV, die);
	cr_assert_eq(selfmon_guard_check(), -ESRCH);
	visit(VISITS);
	assert_counted(VISITS + 1);
}

static void *visit_in_thread(void *unused)
{
	visit(VISITS);
	return unused;
}

Test(region_guard, threads_are_taken_one_by_one)
{
	pthread_t thread;

	configure(FOUR);
	visit(VISITS);
	cr_assert_eq(pthread_create(&thread, NULL, visit_in_thread, NULL), 0);
	pthread_join(thread, NULL);
	assert_counted(2 * VISITS);
	cr_assert_eq(selfmon_guard_taken(), 2);
}

static void visit_in_handler(int signo)
{
	(void)signo;
	visit(1);
}

Test(region_guard, a_signal_handlers_visits_are_taken_as_well)
{
	int i;

	configure(FOUR);
	signal(SIGUSR1, visit_in_handler);
	SELFMON_REGION("around") {
		for (i = 0; i < VISITS; i++)
			raise(SIGUSR1);
	}
	cr_assert_eq(selfmon_guard_taken(), 1);
}

/* ---- a fault at the end alone --------------------------------------------- */

#if defined(__x86_64__)

static struct sigaction guard;
static volatile uint64_t raw; /* value of all counters; 0: reads fault */

/*
 * A simulated PMU: a signal handler on top of the guard. Passes the fault to
 * the guard if raw is 0.
 */
static void answer(int signo, siginfo_t *info, void *context)
{
	greg_t *const reg = ((ucontext_t *)context)->uc_mcontext.gregs;

	if (!raw) {
		guard.sa_sigaction(signo, info, context);
		return;
	}
	reg[REG_RAX] = (greg_t)(raw & UINT32_MAX);
	reg[REG_RDX] = (greg_t)(raw >> 32);
	reg[REG_RIP] += 2;
}

static __attribute__((noinline)) void visit_for(unsigned int turns, bool lose)
{
	SELFMON_REGION("undisturbed") {
		if (lose)
			raw = 0;
		while (turns-- > 0)
			selfmon_compiler_fence();
	}
}

/*
 * At the start the register is about to wrap; at the end the skipped read
 * returns 0. The difference looks like 100 events, the lock did not change, and
 * the time is no new maximum. So only the check of the replaced page can detect
 * the fault.
 */
Test(region_guard, the_guards_0_is_not_taken_for_a_register)
{
	struct sigaction pmu = { .sa_sigaction = answer,
				 .sa_flags = SA_SIGINFO };
	struct selfmon_report *report;
	const struct selfmon_row *row;

	configure("cycles");
	cr_assert_eq(selfmon_prepare(), 0);
	cr_assert_eq(selfmon_guard_check(), 0);
	sigaction(SIGSEGV, &pmu, &guard);
	raw = (UINT64_C(1) << 48) - 100;
	visit_for(3000000, false);
	visit_for(1000, true);
	cr_assert_eq(selfmon_guard_taken(), 1);
	report = rows_take();
	row = ROWS_GET(report, "undisturbed");
	cr_assert_eq(row->visits, 2);
	cr_assert_eq(row->slow, 1);
	cr_assert_neq(row->counter[0].sum, 100);
	selfmon_report_free(report);
}

#endif
