/* SPDX-License-Identifier: MIT */
/* Threads that begin and end, are cancelled, or make names. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include <selfmon.h>

#include "soak.h"

#define THREADS 4

/* ---- threads that come and go -------------------------------------------- */

void *soak_short_thread(void *unused)
{
	int i;

	for (i = 0; i < SOAK_VISITS; i++) {
		SELFMON_REGION("short")
		{
			SELFMON_REGION("nested")
			{
			}
		}
	}
	soak_count(SOAK_SHORT, SOAK_VISITS);
	soak_count(SOAK_NESTED, SOAK_VISITS);
	return unused;
}

void *soak_come_and_go(void *unused)
{
	pthread_t thread[THREADS];
	int i;

	while (soak_goes_on()) {
		for (i = 0; i < THREADS; i++)
			thread[i] = soak_start(soak_short_thread, NULL);
		for (i = 0; i < THREADS; i++)
			pthread_join(thread[i], NULL);
	}
	return unused;
}

/* ---- cancelled threads --------------------------------------------------- */

/* Number of visits that were begun by the thread that is to be cancelled. */
static volatile uint64_t bodies;
static bool started;

static void *visit_for_ever(void *unused)
{
	(void)unused;
	for (;;) {
		SELFMON_REGION("cancelled")
		{
			bodies++;
			SELFMON_REGION("cancelled below")
			{
				bodies++;
				pthread_testcancel();
			}
		}
		__atomic_store_n(&started, true, __ATOMIC_RELEASE);
	}
	return NULL;
}

void *soak_cancel(void *unused)
{
	unsigned int turn = 0;
	pthread_t thread;
	void *result;

	while (soak_goes_on()) {
		started = false;
		bodies = 0;
		thread = soak_start(visit_for_ever, NULL);
		while (turn & 1 && !__atomic_load_n(&started, __ATOMIC_ACQUIRE))
			sched_yield();
		usleep(turn++ * 37 % 300);
		pthread_cancel(thread);
		pthread_join(thread, &result);
		if (result != PTHREAD_CANCELED)
			soak_fail("a thread was not cancelled");
		soak_count(SOAK_CANCELLED, bodies);
	}
	return unused;
}

/* ---- names --------------------------------------------------------------- */

/*
 * Makes the same names at run time repeatedly. States pass from thread to
 * thread, so by the end each state has nodes for all names.
 */
#define NAMES 40

void *soak_name_many(void *unused)
{
	unsigned int n = 0;
	char name[32];

	while (soak_goes_on()) {
		snprintf(name, sizeof(name), "many %u", n++ % NAMES);
		SELFMON_REGION_OF(selfmon_region(name))
		{
		}
		soak_count(SOAK_MANY, 1);
	}
	return unused;
}
