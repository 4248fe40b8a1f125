/* SPDX-License-Identifier: MIT */
/*
 * Measures the first region of a thread, which creates the thread's state and
 * opens its counters. Threads start one after the other and stay alive, so that
 * none reuses the state of an ended thread. After all have ended, the same
 * number of threads starts again, and each reuses a state.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <selfmon.h>

#include "bench.h"

#define BUDGET_US 60

struct visitor {
	pthread_t thread;
	double us;
};

static sem_t done, may_end;

static double first_visit_us(void)
{
	const uint64_t start = bench_now_ns();

	SELFMON_REGION("first")
		selfmon_compiler_fence();
	return (double)(bench_now_ns() - start) / 1000;
}

static void *visit(void *argument)
{
	struct visitor *const visitor = argument;

	bench_now_ns(); /* the first clock_gettime(2) takes longer */
	visitor->us = first_visit_us();
	sem_post(&done);
	sem_wait(&may_end);
	return NULL;
}

static void visit_all(struct visitor *visitor, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (pthread_create(&visitor[i].thread, NULL, visit,
				   &visitor[i]))
			bench_fail("no thread");
		sem_wait(&done);
	}
	for (i = 0; i < count; i++)
		sem_post(&may_end);
	for (i = 0; i < count; i++)
		pthread_join(visitor[i].thread, NULL);
}

static void emit(const char *what, const char *events, double *us,
		 unsigned int count, bool judged)
{
	struct bench_row row;

	memset(&row, 0, sizeof(row));
	snprintf(row.what, sizeof(row.what), "%s, %s", what, events);
	snprintf(row.unit, sizeof(row.unit), "us");
	row.budget = BUDGET_US;
	row.judge = judged ? BENCH_MEDIAN : BENCH_INFORM;
	bench_summary(us, count, &row);
	bench_emit(&row);
}

static void measure(const char *events)
{
	const unsigned int count = bench_effort.threads;
	struct visitor *const visitor = calloc(count, sizeof(*visitor));
	double *const us = calloc(count, sizeof(*us));
	double first = first_visit_us();
	unsigned int i, again;

	if (!visitor || !us)
		bench_fail("no memory");
	emit("first region of the process", events, &first, 1, false);
	for (again = 0; again < 2; again++) {
		visit_all(visitor, count);
		for (i = 0; i < count; i++)
			us[i] = visitor[i].us;
		emit(again ? "the same, state taken over"
			   : "first region of a thread",
		     events, us, count, true);
	}
	free(us);
	free(visitor);
}

static void run(const char *events, const char *name)
{
	sem_init(&done, 0, 0);
	sem_init(&may_end, 0, 0);
	bench_configure(events);
	measure(name);
}

void bench_case_threads(void)
{
	run(NULL, "time only");
}

void bench_case_threads_software(void)
{
	run(BENCH_SOFTWARE, "4 sw. events");
}
