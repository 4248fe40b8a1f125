/* SPDX-License-Identifier: MIT */
/* Regions that are left by longjmp, and regions of signal handlers. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

#include <selfmon.h>

#include "soak.h"

/* ---- jumps --------------------------------------------------------------- */

static __thread jmp_buf out;

/*
 * This frame is at lower addresses than the regions that are entered later. So
 * the library recognises the region of this frame as abandoned.
 */
static __attribute__((noinline)) void jump(void)
{
	volatile char apart[512];

	apart[0] = 0;
	(void)apart[0];
	SELFMON_REGION("jumped")
	{
		longjmp(out, 1);
	}
}

static __attribute__((noinline)) void jump_once(void)
{
	if (!setjmp(out))
		jump();
}

void *soak_jump_about(void *unused)
{
	while (soak_goes_on()) {
		jump_once();
		soak_count(SOAK_JUMPED, 1);
	}
	return unused;
}

/* ---- signals ------------------------------------------------------------- */

void soak_handle(int number)
{
	(void)number;
	SELFMON_REGION("signal")
	{
	}
	soak_count(SOAK_SIGNAL, 1);
}

/*
 * This thread gets the signals. It is in regions all the time, and runs until
 * no more signals are sent.
 */
static void *interrupted(void *over)
{
	while (!__atomic_load_n((bool *)over, __ATOMIC_ACQUIRE))
		soak_short_thread(NULL);
	return NULL;
}

void *soak_interrupt(void *unused)
{
	static bool over;
	pthread_t thread;

	over = false;
	thread = soak_start(interrupted, &over);
	while (soak_goes_on()) {
		pthread_kill(thread, SIGUSR1);
		usleep(100);
	}
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	return unused;
}
