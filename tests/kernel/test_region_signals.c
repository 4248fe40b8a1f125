/* SPDX-License-Identifier: MIT */
/* Tests regions in signal handlers that interrupt the library itself. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "form.h"
#include "session/thread.h"
#include "store/lock.h"
#include "store/process.h"
#include "store/self.h"
#include "rows.h"

static void visit_new(int signal)
{
	(void)signal;
	SELFMON_REGION("in handler")
	{
	}
}

static void visit(void)
{
	SELFMON_REGION("visit")
	{
	}
}

/*
 * The signal arrives while this thread holds the library's lock. Signals are
 * blocked until the lock is released, and then the handler makes its visit.
 */
static void interrupt_under_lock(void)
{
	struct selfmon_process *process = selfmon_process();

	alarm(10); /* ends the test if it waits forever */
	signal(SIGUSR1, visit_new);
	selfmon_process_lock(process);
	raise(SIGUSR1);
	selfmon_process_unlock(process);
}

Test(region_signals, a_handler_does_not_wait_for_a_lock_its_thread_holds)
{
	struct selfmon_report *report;

	visit();
	interrupt_under_lock();
	visit();
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "in handler")->visits, 1);
	cr_assert_eq(ROWS_GET(report, "visit")->visits, 2);
	selfmon_report_free(report);
}

/*
 * The library cannot block the signal of a fault while it holds its lock. So
 * the visit in this handler is not measured, only counted.
 */
Test(region_signals, one_of_a_fault_is_counted_and_does_not_wait)
{
	struct selfmon_process *process = selfmon_process();
	struct selfmon_report *report;

	visit();
	alarm(10);
	signal(SIGSEGV, visit_new);
	selfmon_process_lock(process);
	raise(SIGSEGV);
	selfmon_process_unlock(process);
	report = rows_take();
	cr_assert_null(ROWS_FIND(report, "in handler"));
	cr_assert_eq(selfmon_thread_unready(), 1);
	selfmon_report_free(report);
}

Test(region_signals, nor_one_that_its_thread_holds_before_its_first_visit)
{
	struct selfmon_report *report;

	interrupt_under_lock();
	visit();
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "in handler")->visits, 1);
	cr_assert_eq(ROWS_GET(report, "visit")->visits, 1);
	selfmon_report_free(report);
}

Test(region_signals, a_handler_inside_of_a_visit_is_its_child)
{
	struct selfmon_report *report;

	signal(SIGUSR1, visit_new);
	visit_new(0);
	SELFMON_REGION("interrupted")
	{
		raise(SIGUSR1);
		raise(SIGUSR1);
	}
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "in handler")->visits, 1);
	cr_assert_eq(ROWS_GET(report, "interrupted", "in handler")->visits, 2);
	cr_assert_eq(ROWS_GET(report, "interrupted")->visits, 1);
	selfmon_report_free(report);
}

#define STACK ((size_t)1 << 18)

static void *be_interrupted(void *alternate)
{
	const stack_t stack = { .ss_sp = alternate, .ss_size = STACK };

	if (sigaltstack(&stack, NULL))
		return alternate;
	SELFMON_REGION("interrupted")
	{
		raise(SIGUSR1);
	}
	return NULL;
}

/*
 * The signal stack is above the thread's stack, so the interrupted code is at a
 * lower address.
 */
Test(region_signals, a_handler_on_another_stack_cuts_nothing_off)
{
	struct sigaction action = { .sa_handler = visit_new,
				    .sa_flags = SA_ONSTACK };
	char *const memory = mmap(NULL, 2 * STACK, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct selfmon_report *report;
	pthread_attr_t attr;
	pthread_t thread;
	void *failed;

	cr_assert_neq((void *)memory, MAP_FAILED);
	cr_assert_eq(sigaction(SIGUSR1, &action, NULL), 0);
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, memory, STACK);
	cr_assert_eq(pthread_create(&thread, &attr, be_interrupted,
				    memory + STACK), 0);
	pthread_join(thread, &failed);
	cr_assert_null(failed);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "interrupted")->visits, 1);
	cr_assert_eq(ROWS_GET(report, "interrupted")->cut_off, 0);
	cr_assert_eq(ROWS_GET(report, "interrupted", "in handler")->visits, 1);
	selfmon_report_free(report);
}

#define NAMES 20000

static struct selfmon_region *fresh[256];
static unsigned int handled;

/*
 * Each of the first 65,536 calls visits a new path. A new path needs the
 * process lock, until the thread has its maximum of places.
 */
static void visit_in_handler(int number)
{
	const unsigned int i = handled++;

	(void)number;
	SELFMON_REGION_OF(fresh[i / 256 % 256])
	{
		SELFMON_REGION_OF(fresh[i % 256])
		{
		}
	}
}

static void storm(suseconds_t us)
{
	const struct itimerval every = { { 0, us }, { 0, us } };
	struct sigaction action = { .sa_flags = SA_RESTART };

	action.sa_handler = visit_in_handler;
	cr_assert_eq(sigaction(SIGALRM, &action, NULL), 0);
	cr_assert_eq(setitimer(ITIMER_REAL, &every, NULL), 0);
}

static void make_names(const char *prefix, int count)
{
	char name[32];
	int i;

	for (i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "%s %d", prefix, i);
		cr_assert_not_null(selfmon_region(name));
	}
}

Test(region_signals, a_first_visit_while_a_name_is_made_does_not_hang,
     .timeout = 60)
{
	char name[32];
	int i;

	for (i = 0; i < 256; i++) {
		snprintf(name, sizeof(name), "fresh %d", i);
		fresh[i] = selfmon_region(name);
	}
	cr_assert_eq(selfmon_thread_prepare(), 0);
	for (i = 0; i < by_form(4, 20, 20); i++) {
		storm(50);
		make_names("name", NAMES);
		storm(0);
	}
	cr_assert_gt(handled, 0);
}

static unsigned int counted;

static void visit_and_count(int number)
{
	(void)number;
	SELFMON_REGION("counted")
	{
	}
	counted++;
}

Test(region_signals, handlers_visits_during_a_report_are_not_lost)
{
	struct sigaction action = { .sa_handler = visit_and_count };
	const struct itimerval often = { { 0, 20 }, { 0, 20 } };
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };
	struct selfmon_report *report;
	uint64_t not_measured;

	visit_and_count(0);
	cr_assert_eq(sigaction(SIGALRM, &action, NULL), 0);
	cr_assert_eq(setitimer(ITIMER_REAL, &often, NULL), 0);
	report = rows_take(); /* the first report measures the overhead */
	cr_assert_eq(setitimer(ITIMER_REAL, &never, NULL), 0);
	selfmon_report_free(report);
	not_measured = selfmon_thread_unready() +
		       selfmon_thread_attach()->record->unready;
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "counted")->visits + not_measured,
		     counted);
	selfmon_report_free(report);
}

static __attribute__((noinline)) void raise_inside_of_a_region(void)
{
	SELFMON_REGION("interrupted")
	{
		raise(SIGUSR1);
	}
}

Test(region_signals, a_handler_on_a_stack_inside_of_the_own_cuts_nothing_off)
{
	char inside[1 << 16];
	const stack_t stack = { .ss_sp = inside, .ss_size = sizeof(inside) };
	struct sigaction action = { .sa_handler = visit_new,
				    .sa_flags = SA_ONSTACK };
	struct selfmon_report *report;

	cr_assert_eq(sigaltstack(&stack, NULL), 0);
	cr_assert_eq(sigaction(SIGUSR1, &action, NULL), 0);
	raise_inside_of_a_region();
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "interrupted")->visits, 1);
	cr_assert_eq(ROWS_GET(report, "interrupted")->cut_off, 0);
	cr_assert_eq(ROWS_GET(report, "interrupted", "in handler")->visits, 1);
	selfmon_report_free(report);
}

static sigjmp_buf before;

static void jump_out(int number)
{
	SELFMON_REGION("in handler")
	{
		siglongjmp(before, number);
	}
}

Test(region_signals, a_jump_out_of_a_handler_cuts_off_all_that_it_passes)
{
	struct selfmon_report *report;
	volatile int i;

	signal(SIGUSR1, jump_out);
	for (i = 0; i < 1000; i++)
		if (!sigsetjmp(before, 1))
			raise_inside_of_a_region();
	visit();
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "interrupted")->cut_off, 1000);
	cr_assert_eq(ROWS_GET(report, "interrupted", "in handler")->cut_off,
		     1000);
	cr_assert_eq(ROWS_GET(report, "visit")->visits, 1);
	cr_assert_eq(selfmon_report_row_count(report), 3);
	selfmon_report_free(report);
}

static volatile unsigned int timer_visits;

static void visit_on_timer(int number)
{
	(void)number;
	SELFMON_REGION("on timer")
	{
		SELFMON_REGION("inside")
		{
		}
	}
	timer_visits++;
}

static uint64_t sum_of_visits(const struct selfmon_report *report,
			      const char *name)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < selfmon_report_row_count(report); i++)
		if (!strcmp(selfmon_report_row(report, i)->name, name))
			sum += selfmon_report_row(report, i)->visits;
	return sum;
}

/*
 * Signals arrive at 10 kHz if the machine can do that. Each visit must be
 * somewhere in the tree.
 */
Test(region_signals, a_storm_of_them_loses_no_visit, .timeout = 120)
{
	const unsigned int signals = (unsigned int)by_form(1000, 3000, 100000);
	const struct itimerval often = { { 0, 100 }, { 0, 100 } };
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = visit_on_timer };
	struct selfmon_report *report;
	uint64_t loops = 0;

	cr_assert_eq(sigaction(SIGALRM, &action, NULL), 0);
	cr_assert_eq(setitimer(ITIMER_REAL, &often, NULL), 0);
	for (; timer_visits < signals; loops++)
		SELFMON_REGION("outer")
		{
			visit();
		}
	cr_assert_eq(setitimer(ITIMER_REAL, &never, NULL), 0);
	report = rows_take();
	rows_check(report);
	cr_assert_eq(sum_of_visits(report, "outer"), loops);
	cr_assert_eq(sum_of_visits(report, "visit"), loops);
	cr_assert_eq(sum_of_visits(report, "on timer"), timer_visits);
	cr_assert_eq(sum_of_visits(report, "inside"), timer_visits);
	cr_assert_eq(selfmon_thread_unready(), 0);
	cr_assert_eq(selfmon_thread_attach()->record->unready, 0);
	selfmon_report_free(report);
}
