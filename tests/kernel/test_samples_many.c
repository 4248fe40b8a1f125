/* SPDX-License-Identifier: MIT */
/*
 * Tests many samples of two threads that make visits at the same time and
 * change CPUs.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "form.h"
#include "kernel/sampled.h"

static int stop;

static bool is_stopped(void)
{
	return __atomic_load_n(&stop, __ATOMIC_ACQUIRE);
}

static void visit_all(void)
{
	visit_both();
	visit_short();
	visit_nested();
	visit_spans();
}

static void *visit_until_stopped(void *unused)
{
	(void)unused;
	while (!is_stopped())
		visit_all();
	return NULL;
}

static void visit_in_two_threads(void *(*visit)(void *), uint64_t least)
{
	int which[2] = { 0, 1 };
	pthread_t thread[2];
	int i;

	for (i = 0; i < 2; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL, visit, &which[i]),
			     0);
	do
		usleep(20000);
	while (in_their_code() < least);
	__atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
}

/* Returns the number of samples that both threads need together. */
static uint64_t wanted(void)
{
	return (uint64_t)by_form(150, 3000, 100000);
}

Test(samples_many, are_all_of_the_region_that_the_thread_was_in)
{
	ask_for(OFTEN);
	visit_in_two_threads(visit_until_stopped, wanted());
	say_how_many(OFTEN);
	assert_apart(wanted());
}

/* ---- between two CPUs ---------------------------------------------------- */

static cpu_set_t cpu[2];

static void choose_two_cpus(void)
{
	cpu_set_t all;
	size_t i;
	int n = 0;

	cr_assert_eq(sched_getaffinity(0, sizeof(all), &all), 0);
	for (i = 0; i < CPU_SETSIZE && n < 2; i++) {
		if (!CPU_ISSET(i, &all))
			continue;
		CPU_ZERO(&cpu[n]);
		CPU_SET(i, &cpu[n++]);
	}
	if (n < 2)
		cr_skip_test("wants 2 CPUs, there is one");
}

static uint64_t moves;

static void move_to(int which)
{
	const bool moved = !CPU_ISSET((size_t)sched_getcpu(), &cpu[which]);

	cr_assert_eq(sched_setaffinity(0, sizeof(cpu[0]), &cpu[which]), 0);
	cr_assert(CPU_ISSET((size_t)sched_getcpu(), &cpu[which]));
	if (moved)
		__atomic_add_fetch(&moves, 1, __ATOMIC_RELAXED);
}

static void visit_moved(int which)
{
	SELFMON_REGION("a") {
		work_a(SHORT);
		move_to(!which);
		work_a(SHORT);
		SELFMON_REGION("b") {
			work_b(SHORT);
			move_to(which);
			work_b(SHORT);
		}
		move_to(!which);
	}
}

static void *visit_and_move_until_stopped(void *argument)
{
	int which = *(int *)argument;

	for (; !is_stopped(); which = !which) {
		move_to(which);
		visit_all();
		visit_moved(which);
	}
	return NULL;
}

Test(samples_many, of_threads_that_change_cpus_are_of_their_regions)
{
	choose_two_cpus();
	ask_for(OFTEN);
	visit_in_two_threads(visit_and_move_until_stopped, wanted());
	say_how_many(OFTEN);
	cr_log_info("%llu moves to another CPU",
		    (unsigned long long)__atomic_load_n(&moves,
							__ATOMIC_RELAXED));
	assert_apart(wanted());
}
