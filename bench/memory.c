/* SPDX-License-Identifier: MIT */
/*
 * Measures memory: the pages that become resident as threads make their first
 * visits, and as one thread's call tree grows. Names are excluded: all threads
 * and paths share a region's name.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <selfmon.h>

#include "bench.h"

#define HANDLES 200
#define PARENTS 50
#define THREAD_BUDGET_KIB 64
#define NODE_BUDGET_BYTES 2048

static sem_t ready, may_go, done, may_end;

/* Returns the anonymous memory of this process in RAM: Anonymous of smaps. */
static double resident_bytes(void)
{
	FILE *const file = fopen("/proc/self/smaps_rollup", "re");
	unsigned long kib = 0;
	char line[256];

	if (!file)
		bench_fail("no /proc/self/smaps_rollup: kernel before 4.14");
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "Anonymous: %lu kB", &kib) == 1)
			break;
	fclose(file);
	return (double)kib * 1024;
}

static void emit(const char *what, const char *unit, double value,
		 double budget)
{
	struct bench_row row;

	memset(&row, 0, sizeof(row));
	snprintf(row.what, sizeof(row.what), "%s", what);
	snprintf(row.unit, sizeof(row.unit), "%s", unit);
	row.median = row.low = row.high = row.min = value;
	row.budget = budget;
	row.judge = BENCH_MEDIAN;
	bench_emit(&row);
}

static void *visit(void *unused)
{
	sem_post(&ready);
	sem_wait(&may_go);
	SELFMON_REGION("first")
		selfmon_compiler_fence();
	sem_post(&done);
	sem_wait(&may_end);
	return unused;
}

static void each(sem_t *post, sem_t *wait, unsigned int count)
{
	unsigned int i;

	for (i = 0; post && i < count; i++)
		sem_post(post);
	for (i = 0; wait && i < count; i++)
		sem_wait(wait);
}

/* Subtracts the memory of one node, which another row reports. */
static void measure_threads(double node_bytes)
{
	const unsigned int count = bench_effort.threads;
	pthread_t *const thread = calloc(count, sizeof(*thread));
	double before, after;
	unsigned int i;

	for (i = 0; thread && i < count; i++)
		if (pthread_create(&thread[i], NULL, visit, NULL))
			bench_fail("no thread");
	each(NULL, &ready, count);
	before = resident_bytes();
	each(&may_go, &done, count);
	after = resident_bytes();
	each(&may_end, NULL, count);
	for (i = 0; thread && i < count; i++)
		pthread_join(thread[i], NULL);
	free(thread);
	emit("memory of a thread, its stack's growth included", "KiB",
	     ((after - before) / count - node_bytes) / 1024,
	     THREAD_BUDGET_KIB);
}

static void visit_below(struct selfmon_region *const *handle,
			unsigned int parents)
{
	unsigned int i, k;

	for (i = 0; i < parents; i++)
		SELFMON_REGION_OF(handle[i])
			for (k = 0; k < HANDLES; k++)
				SELFMON_REGION_OF(handle[k])
					selfmon_compiler_fence();
}

static double measure_nodes(void)
{
	struct selfmon_region *handle[HANDLES];
	double before, bytes;
	char name[32];
	unsigned int i;

	for (i = 0; i < HANDLES; i++) {
		snprintf(name, sizeof(name), "region %u", i);
		handle[i] = selfmon_region(name);
	}
	visit_below(handle, 1);
	before = resident_bytes();
	visit_below(handle, 1 + PARENTS);
	bytes = (resident_bytes() - before) / (PARENTS * (HANDLES + 1));
	emit("memory of a node, histogram included", "B", bytes,
	     NODE_BUDGET_BYTES);
	return bytes;
}

void bench_case_memory(void)
{
	sem_init(&ready, 0, 0);
	sem_init(&may_go, 0, 0);
	sem_init(&done, 0, 0);
	sem_init(&may_end, 0, 0);
	bench_configure(BENCH_SOFTWARE);
	measure_threads(measure_nodes());
}
