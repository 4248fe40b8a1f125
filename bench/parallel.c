/* SPDX-License-Identifier: MIT */
/*
 * Region pairs in 1 to 64 threads at once, on all CPUs; CPU time per pair. CPU
 * time excludes the time in which a thread waits for a CPU, but includes the
 * time in which threads contend for a cache line.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <selfmon.h>

#include "bench.h"

#define THREADS_MAX 64
#define REPEAT 11

struct worker {
	pthread_t thread;
	double ns;
};

static pthread_barrier_t begin;
static uint64_t visits;

static double cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static __attribute__((noinline)) void block(uint64_t n)
{
	for (; n > 0; n--)
		SELFMON_REGION("block")
			selfmon_compiler_fence();
}

static void *work(void *argument)
{
	struct worker *const worker = argument;
	double start;

	block(1);
	pthread_barrier_wait(&begin);
	start = cpu_ns();
	block(visits);
	worker->ns = (cpu_ns() - start) / (double)visits;
	return NULL;
}

static double pair_ns(unsigned int threads)
{
	struct worker worker[THREADS_MAX];
	double sum = 0;
	unsigned int i;

	pthread_barrier_init(&begin, NULL, threads);
	for (i = 0; i < threads; i++)
		if (pthread_create(&worker[i].thread, NULL, work, &worker[i]))
			bench_fail("no thread");
	for (i = 0; i < threads; i++) {
		pthread_join(worker[i].thread, NULL);
		sum += worker[i].ns;
	}
	pthread_barrier_destroy(&begin);
	return sum / threads;
}

static void unpin(void)
{
	cpu_set_t all;

	memset(&all, 0xff, sizeof(all));
	sched_setaffinity(0, sizeof(all), &all);
}

static void emit(unsigned int threads, double (*sample)[REPEAT], double one)
{
	struct bench_row row;

	memset(&row, 0, sizeof(row));
	snprintf(row.what, sizeof(row.what), "region pair, %u thread%s",
		 threads, threads == 1 ? "" : "s");
	snprintf(row.unit, sizeof(row.unit), "ns");
	bench_summary(*sample, REPEAT, &row);
	if (threads > 1) {
		snprintf(row.against, sizeof(row.against), "one thread");
		row.ratio = row.median / one;
		row.budget = 1.10;
		row.judge = BENCH_RATIO;
	}
	bench_emit(&row);
}

void bench_case_parallel(void)
{
	double sample[7][REPEAT], one = 0;
	unsigned int turn, k;

	visits = bench_effort.visits * (bench_effort.rounds > 500 ? 100 : 20);
	bench_configure(NULL);
	unpin();
	pair_ns(THREADS_MAX); /* makes the thread states that are reused
			       * below */
	for (turn = 0; turn < REPEAT; turn++)
		for (k = 0; k < 7; k++)
			sample[k][turn] = pair_ns(1u << k);
	for (k = 0; k < 7; k++) {
		emit(1u << k, &sample[k], one);
		if (k == 0)
			one = sample[0][REPEAT / 2]; /* sorted by now */
	}
}
