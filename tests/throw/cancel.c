/* SPDX-License-Identifier: MIT */
/*
 * Threads that end inside of regions where that runs cleanups: in C with
 * -fexceptions, and in C++. This file is compiled as both, its variables full
 * of garbage before they are written to.
 *
 * Cancelled asynchronously, at each instruction of a visit. In C++ at those
 * outside of this program's own functions alone: code of g++ that is cancelled
 * elsewhere than in a call ends by std::terminate(), regions or none. And in a
 * thread's first visit, where the library holds it back until all is in order.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#include <selfmon.h>

#include "sanitized.h"

#ifdef __cplusplus
#define LANGUAGE "C++"
#define IN_OUR_CODE false
#else
#define LANGUAGE "C with -fexceptions"
#define IN_OUR_CODE true
#endif
#define OURS __attribute__((noinline, section("ours")))
#define STEPS_MIN 50
#define STEPS_MAX 2000
#define TRAP_FLAG 0x100

/* Weak: where all of this is skipped, there are none. */
extern const char ours_start[] __asm__("__start_ours") __attribute__((weak));
extern const char ours_end[] __asm__("__stop_ours") __attribute__((weak));

static struct selfmon_region *handle;
static volatile unsigned int bodies;

OURS static void body(void)
{
	bodies = bodies + 1;
}

OURS static void in_block(void)
{
	SELFMON_REGION("in_block")
	{
		body();
	}
}

OURS static void in_scope(void)
{
	SELFMON_SCOPE("in_scope");
	body();
}

OURS static void in_function(void)
{
	SELFMON_FUNCTION();
	body();
}

OURS static void in_tagged(void)
{
	SELFMON_BEGIN(tag, "in_tagged");
	body();
	SELFMON_END(tag);
}

OURS static void in_handle(void)
{
	SELFMON_REGION_OF(handle)
	{
		body();
	}
}

/* The one around is left by the unwinding, whatever became of the inner. */
OURS static void in_nested(void)
{
	SELFMON_REGION("around")
	{
		SELFMON_REGION("in_nested")
		{
			body();
		}
	}
}

static const struct form {
	const char *name;
	void (*visit)(void);
} forms[] = {
	{ "in_block", in_block },	{ "in_scope", in_scope },
	{ "in_function", in_function }, { "in_tagged", in_tagged },
	{ "in_handle", in_handle },	{ "in_nested", in_nested },
};

/* What a thread does, and how it is cancelled there. */
static const struct form *form;
static unsigned int cancel_at; /* which instruction; 0: in the first visit */
static unsigned long long counted; /* visits of this form up to now */

/* ---- at each instruction --------------------------------------------------- */

#ifdef __x86_64__
static volatile unsigned int steps;
static volatile bool stepping;

static bool is_ours(uintptr_t address)
{
	return address >= (uintptr_t)ours_start &&
	       address < (uintptr_t)ours_end;
}

static void on_step(int signo, siginfo_t *info, void *context)
{
	greg_t *const at = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)signo;
	(void)info;
	if (stepping && is_ours((uintptr_t)at[REG_RIP]) && !IN_OUR_CODE)
		return;
	if (stepping && ++steps != cancel_at)
		return;
	at[REG_EFL] &= ~TRAP_FLAG;
	if (stepping)
		pthread_cancel(pthread_self());
}

OURS static void visit_by_steps(void)
{
	steps = 0;
	stepping = true;
	__asm__ __volatile__("pushfq\n\torq %0, (%%rsp)\n\tpopfq"
			     : : "i"(TRAP_FLAG) : "memory", "cc");
	form->visit();
	stepping = false;
}

static bool can_step(void)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_sigaction = on_step;
	action.sa_flags = SA_SIGINFO;
	return sigaction(SIGTRAP, &action, NULL) == 0;
}
#else
OURS static void visit_by_steps(void)
{
}

static bool can_step(void)
{
	return false;
}
#endif

/* ---- in a thread's first visit --------------------------------------------- */

static __thread bool is_cancelled;

#ifdef __cplusplus
extern "C" {
#endif
int __real_pthread_setcancelstate(int state, int *before);
int __wrap_pthread_setcancelstate(int state, int *before);

/* What comes while the library holds it back is acted on in its midst. */
int __wrap_pthread_setcancelstate(int state, int *before)
{
	const int result = __real_pthread_setcancelstate(state, before);

	if (is_cancelled && state == PTHREAD_CANCEL_DISABLE) {
		is_cancelled = false;
		pthread_cancel(pthread_self());
	}
	return result;
}
#ifdef __cplusplus
}
#endif

/* ---- threads --------------------------------------------------------------- */

/* Ends as a thread that was not cancelled does, where it was not. */
OURS static void *work(void *unused)
{
	if (cancel_at) {
		form->visit();
		form->visit();
	}
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	if (cancel_at) {
		visit_by_steps();
	} else {
		is_cancelled = true;
		form->visit();
	}
	pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, NULL);
	return unused;
}

/* A region's visits, and how many of any are open. */
struct sums {
	unsigned long long counted, cut_off, open;
};

static struct sums sums_of(const char *name)
{
	struct sums sums = { 0, 0, 0 };
	struct selfmon_report *report;
	size_t i;

	if (selfmon_report_take(&report))
		return sums;
	for (i = 0; i < selfmon_report_rows(report); i++) {
		const struct selfmon_row *row = selfmon_report_row(report, i);

		if (!strcmp(row->name, name)) {
			sums.counted += row->visits + row->cut_off;
			sums.cut_off += row->cut_off;
		}
		sums.open += row->open;
	}
	selfmon_report_free(report);
	return sums;
}

/* Was it cancelled? -1: what is counted is not what was visited. */
static int cancel_one(void)
{
	const unsigned int begun = cancel_at ? 3 : 1;
	const unsigned long long before = counted;
	pthread_t thread;
	struct sums now;
	void *result;

	bodies = 0;
	if (pthread_create(&thread, NULL, work, NULL) ||
	    pthread_join(thread, &result))
		return -1;
	now = sums_of(form->name);
	counted = now.counted;
	now.counted -= before;
	if (now.counted >= bodies && now.counted <= begun && now.open == 0)
		return result == PTHREAD_CANCELED;
	printf("throw: %s: %s, cancelled at %u: %u visits were made, %llu "
	       "counted, %llu are open\n", LANGUAGE, form->name, cancel_at,
	       bodies, now.counted, now.open);
	return -1;
}

/* How many instructions there are; 0: something was wrong. */
static unsigned int cancel_at_each(void)
{
	int cancelled = 1;

	for (cancel_at = 1; cancelled == 1; cancel_at++)
		cancelled = cancel_at > STEPS_MAX ? -1 : cancel_one();
	return cancelled < 0 || cancel_at < STEPS_MIN ? 0 : cancel_at - 2;
}

/* pthread_exit(3) ends the regions that are open. */
static void *exit_inside(void *unused)
{
	SELFMON_REGION("exiting")
	{
		SELFMON_SCOPE("exiting");
		pthread_exit(unused);
	}
	return unused;
}

static bool exit_is_an_end(void)
{
	pthread_t thread;
	struct sums sums;

	if (pthread_create(&thread, NULL, exit_inside, NULL) ||
	    pthread_join(thread, NULL))
		return false;
	sums = sums_of("exiting");
	if (sums.counted == 2 && sums.cut_off == 0 && sums.open == 0)
		return true;
	printf("throw: %s: pthread_exit: %llu visits, %llu cut off, %llu "
	       "open\n", LANGUAGE, sums.counted, sums.cut_off, sums.open);
	return false;
}

int main(void)
{
	const bool steps_there = can_step();
	unsigned int places = 0, n;
	size_t i;

	if (!exit_is_an_end())
		return 1;
	if (SANITIZED) {
		printf("throw: SKIPPED: a sanitizer may be in its own code "
		       "when a thread is cancelled\n");
		return 0;
	}
	handle = selfmon_region("in_handle");
	selfmon_thread_prepare();
	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		form = &forms[i];
		cancel_at = 0;
		counted = 0;
		n = cancel_one() != 1 ? 0 : steps_there ? cancel_at_each() : 1;
		if (n == 0) {
			printf("throw: %s: %s: cancelled nowhere, or wrongly\n",
			       LANGUAGE, form->name);
			return 1;
		}
		places += n;
	}
	printf("throw: %s: pthread_exit ends regions; threads cancelled at %u "
	       "places%s\n", LANGUAGE, places,
	       steps_there ? "" : " (SKIPPED: each instruction, x86-64 alone)");
	return 0;
}
