/* SPDX-License-Identifier: MIT */
/*
 * Spans that one thread enters and another one leaves. Meanwhile the first
 * thread is inside of other regions, or has ended.
 */
#include <pthread.h>
#include <sched.h>

#include <selfmon.h>

#include "soak.h"

#define SPANS 4 /* few: see COROUTINES in coroutines.c */
#define ROUNDS 20

static struct selfmon_frame frame[SPANS];
static bool entered[SPANS]; /* leave_spans() must leave these spans */
static bool no_more;

static void enter_some(struct selfmon_region *region)
{
	int i;

	for (i = 0; i < SPANS; i++) {
		if (__atomic_load_n(&entered[i], __ATOMIC_ACQUIRE))
			continue;
		selfmon_enter(region, &frame[i]);
		soak_count(SOAK_SPAN, 1);
		if (i % 3)
			__atomic_store_n(&entered[i], true, __ATOMIC_RELEASE);
		else
			selfmon_leave(&frame[i]);
	}
}

/* A thread's function: enters spans, and returns while some are open. */
static void *enter_spans(void *unused)
{
	struct selfmon_region *const region = selfmon_region("span");
	int round;

	for (round = 0; round < ROUNDS; round++) {
		SELFMON_REGION("span around")
		{
			enter_some(region);
		}
		soak_count(SOAK_SPAN, 1);
		if (round % 4 == 0)
			sched_yield();
	}
	return unused;
}

static void *leave_spans(void *unused)
{
	bool last;
	int i;

	do {
		last = __atomic_load_n(&no_more, __ATOMIC_ACQUIRE);
		for (i = 0; i < SPANS; i++) {
			if (!__atomic_load_n(&entered[i], __ATOMIC_ACQUIRE))
				continue;
			selfmon_leave(&frame[i]);
			__atomic_store_n(&entered[i], false, __ATOMIC_RELEASE);
		}
		sched_yield();
	} while (!last);
	return unused;
}

void *soak_pass_on(void *unused)
{
	pthread_t leaver;

	no_more = false;
	leaver = soak_start(leave_spans, NULL);
	while (soak_goes_on())
		pthread_join(soak_start(enter_spans, NULL), NULL);
	__atomic_store_n(&no_more, true, __ATOMIC_RELEASE);
	pthread_join(leaver, NULL);
	return unused;
}
