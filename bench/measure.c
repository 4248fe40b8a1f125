/* SPDX-License-Identifier: MIT */
/* Measures operations alternately. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

#define WARM_UP_ROUNDS 3

uint64_t bench_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static double once(const struct bench_operation *operation)
{
	const uint64_t each = operation->each ? operation->each : 1;
	const uint64_t start = bench_now_ns();

	operation->loop(operation->n);
	return (double)(bench_now_ns() - start) /
	       (double)(operation->n * each);
}

/*
 * Returns the median of the rounds' ratios: both values of a round were
 * measured within about 1 ms.
 */
static double ratio(const struct bench_operation *a,
		    const struct bench_operation *b)
{
	double sample[BENCH_ROUNDS_MAX];
	struct bench_row row;
	unsigned int i;

	for (i = 0; i < bench_effort.rounds; i++)
		sample[i] = a->sample[i] / b->sample[i];
	bench_summary(sample, bench_effort.rounds, &row);
	return row.median;
}

static void make_row(const struct bench_operation *operation,
		     const struct bench_operation *all, struct bench_row *row)
{
	memset(row, 0, sizeof(*row));
	snprintf(row->what, sizeof(row->what), "%s", operation->what);
	snprintf(row->unit, sizeof(row->unit), "ns");
	row->budget = operation->budget;
	row->judge = operation->judge;
	if (operation->against < 0)
		return;
	snprintf(row->against, sizeof(row->against), "%s",
		 operation->against_name);
	row->ratio = ratio(operation, &all[operation->against]);
}

void bench_measure(struct bench_operation *operation, size_t count)
{
	struct bench_row *rows = calloc(count, sizeof(*rows));
	unsigned int round;
	size_t i;

	if (!rows)
		bench_fail("no memory");
	for (round = 0; round < WARM_UP_ROUNDS; round++)
		for (i = 0; i < count; i++)
			once(&operation[i]);
	for (round = 0; round < bench_effort.rounds; round++)
		for (i = 0; i < count; i++)
			operation[i].sample[round] = once(&operation[i]);
	for (i = 0; i < count; i++) /* before the samples are sorted */
		make_row(&operation[i], operation, &rows[i]);
	for (i = 0; i < count; i++) {
		bench_summary(operation[i].sample, bench_effort.rounds,
			      &rows[i]);
		bench_emit(&rows[i]);
	}
	free(rows);
}
