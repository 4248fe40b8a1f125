/* SPDX-License-Identifier: MIT */
/*
 * Tests struct selfmon_once: one thread does the work, while other threads wait
 * and signal handlers are blocked.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "platform/once.h"

#define THREADS 8
#define TURNS 200

static struct selfmon_once turn;
static struct selfmon_critical outer;
static int in_turn, most, turns;

static void take_one(bool done)
{
	struct selfmon_critical holder;

	if (selfmon_once_begin(&turn, &holder) != 1)
		return;
	if (++in_turn > most)
		most = in_turn;
	turns++;
	sched_yield();
	in_turn--;
	selfmon_once_end(&turn, &holder, done);
}

static void *take_many(void *unused)
{
	int i;

	for (i = 0; i < TURNS; i++)
		take_one(false);
	return unused;
}

Test(once, is_of_one_thread_at_a_time)
{
	pthread_t thread[THREADS];
	int i;

	for (i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL, take_many, NULL),
			     0);
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	cr_assert_eq(turns, THREADS * TURNS);
	cr_assert_eq(most, 1);
}

Test(once, is_over_for_all_when_it_is_done)
{
	cr_assert_not(selfmon_once_is_done(&turn));
	take_one(true);
	cr_assert(selfmon_once_is_done(&turn));
	cr_assert_eq(selfmon_once_begin(&turn, &outer), 0);
	selfmon_once_reset(&turn);
	cr_assert_not(selfmon_once_is_done(&turn));
	cr_assert_eq(selfmon_once_begin(&turn, &outer), 1);
}

static void take_in_handler(int signo)
{
	(void)signo;
	take_one(true);
}

/* If the test hangs, the alarm ends it. */
Test(once, lets_no_handler_in_that_would_wait_for_it)
{
	signal(SIGUSR1, take_in_handler);
	alarm(10);
	cr_assert_eq(selfmon_once_begin(&turn, &outer), 1);
	raise(SIGUSR1);
	cr_assert_eq(turns, 0);
	selfmon_once_end(&turn, &outer, false);
	cr_assert_eq(turns, 1);
}
