/* SPDX-License-Identifier: MIT */
/* Coroutines for tests: stacks between which a thread switches. */
#ifndef SELFMON_TESTS_COROUTINES_H
#define SELFMON_TESTS_COROUTINES_H

#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "rows.h"
#include "sanitizer.h"

#define STACK ((size_t)256 << 10)
/* Size of a guard area in bytes. */
#define GUARD ((size_t)sysconf(_SC_PAGESIZE))

/*
 * Three stacks in one mapping, in the order of their addresses. OWN is the
 * stack of the thread that runs the test. OWN begins with a guard area without
 * access, like a stack made by the C library. BELOW and ABOVE are for
 * coroutines.
 */
enum place { BELOW, OWN, ABOVE, PLACES };

static char *memory;
static ucontext_t scheduler, coroutine[2];

static inline void setup(void)
{
	SKIP_IF_SANITIZED("it does not follow swapcontext");
	memory = mmap(NULL, PLACES * STACK, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq((void *)memory, MAP_FAILED);
	cr_assert_eq(mprotect(memory + OWN * STACK, GUARD, PROT_NONE), 0);
}

static inline void yield(int i)
{
	swapcontext(&coroutine[i], &scheduler);
}

static inline void resume(int i)
{
	swapcontext(&scheduler, &coroutine[i]);
}

static inline void make(int i, void (*body)(void), enum place place,
			size_t half)
{
	getcontext(&coroutine[i]);
	coroutine[i].uc_stack.ss_sp = memory + place * STACK + half * STACK / 2;
	coroutine[i].uc_stack.ss_size = STACK / 2;
	coroutine[i].uc_link = &scheduler;
	makecontext(&coroutine[i], body, 0);
}

/*
 * Number of threads that run a test, one after another, each on the stack OWN.
 * Each later thread reuses the library's state of the first thread. Several
 * runs are needed because the first two visits of a region take other paths
 * than later ones.
 */
#define TIMES 4

static inline void on_thread(void *(*body)(void *), void *argument)
{
	pthread_attr_t attr;
	pthread_t thread;
	int i;

	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, memory + OWN * STACK + GUARD,
			      STACK - GUARD);
	for (i = 0; i < TIMES; i++) {
		cr_assert_eq(pthread_create(&thread, &attr, body, argument),
			     0);
		pthread_join(thread, NULL);
	}
	pthread_attr_destroy(&attr);
}

static inline void visit_a(void)
{
	SELFMON_REGION("a")
	{
		yield(0);
	}
	yield(0);
}

static inline const struct selfmon_row *
row_named(const struct selfmon_report *report, const char *name)
{
	size_t i;

	for (i = 0; i < selfmon_report_row_count(report); i++)
		if (!strcmp(selfmon_report_row(report, i)->name, name))
			return selfmon_report_row(report, i);
	cr_assert_fail("no row");
	return NULL;
}

static inline void *begin_only(void *unused)
{
	(void)unused;
	make(0, visit_a, BELOW, 0);
	resume(0);
	return NULL;
}

#endif
