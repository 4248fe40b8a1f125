/* SPDX-License-Identifier: MIT */
/*
 * A library whose constructor visits a region, and whose threads, started by
 * work(), visit regions until the program ends.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

#include <selfmon.h>

#define THREADS 4

int work(void);

static int visited;

static void *visit_for_ever(void *unused)
{
	for (;;) {
		SELFMON_REGION("busy")
		{
			SELFMON_REGION("within")
			{
			}
		}
		__atomic_store_n(&visited, 1, __ATOMIC_RELEASE);
	}
	return unused;
}

__attribute__((constructor)) static void load(void)
{
	SELFMON_REGION("library is loaded")
	{
	}
}

/*
 * Runs after the destructor of a static copy of the library, so that the
 * threads run when this copy's state has been removed. That destructor has the
 * same priority, but this file is linked before the library.
 */
__attribute__((destructor(101))) static void let_them_run(void)
{
	usleep(20000);
}

/*
 * Starts the threads. Returns 0 when one of them has made a visit, or 1 if a
 * thread cannot be started.
 */
int work(void)
{
	pthread_t thread;
	int i;

	for (i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, visit_for_ever, NULL))
			return 1;
	while (!__atomic_load_n(&visited, __ATOMIC_ACQUIRE))
		;
	return 0;
}
