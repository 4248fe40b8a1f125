/* SPDX-License-Identifier: MIT */
/*
 * The state of a stored round is computed again at each query: it depends on the
 * lowest empty loop, which may come late in the run. A round that is in neither
 * state when it ends is not stored.
 */
#include "rounds.h"

#include <stdlib.h>
#include <string.h>

const char *const bench_state_name[BENCH_STATES] = { "QUIET", "BUSY" };

bool bench_rounds_init(struct bench_rounds *rounds, size_t columns)
{
	memset(rounds, 0, sizeof(*rounds));
	rounds->columns = columns;
	rounds->value =
		calloc(columns * BENCH_ROUNDS_STORED, sizeof(*rounds->value));
	return rounds->value != NULL;
}

void bench_rounds_free(struct bench_rounds *rounds)
{
	free(rounds->value);
	rounds->value = NULL;
}

enum bench_state bench_state_of(const struct bench_loops *loops, double lowest)
{
	if (loops->slowest <= lowest * BENCH_QUIET_BELOW)
		return BENCH_QUIET;
	return loops->fastest > lowest * BENCH_BUSY_ABOVE ? BENCH_BUSY
							  : BENCH_NEITHER;
}

static void lower(struct bench_rounds *rounds, double loop)
{
	if (rounds->lowest <= 0 || loop < rounds->lowest)
		rounds->lowest = loop;
}

double *bench_rounds_next(struct bench_rounds *rounds)
{
	if (rounds->count == BENCH_ROUNDS_STORED)
		return NULL;
	return rounds->value + rounds->count * rounds->columns;
}

void bench_rounds_keep(struct bench_rounds *rounds,
		       const struct bench_loops *loops)
{
	lower(rounds, loops->fastest);
	if (bench_state_of(loops, rounds->lowest) == BENCH_NEITHER)
		rounds->neither++;
	else
		rounds->loops[rounds->count++] = *loops;
}

enum bench_state bench_rounds_glance(struct bench_rounds *rounds, double loop)
{
	const struct bench_loops loops = { loop, loop };

	lower(rounds, loop);
	return bench_state_of(&loops, rounds->lowest);
}

static bool is_in(const struct bench_rounds *rounds, size_t i,
		  enum bench_state state)
{
	return bench_state_of(&rounds->loops[i], rounds->lowest) == state;
}

size_t bench_rounds_seen(const struct bench_rounds *rounds,
			 enum bench_state state)
{
	size_t seen = 0, i;

	for (i = 0; i < rounds->count; i++)
		seen += is_in(rounds, i, state);
	return seen;
}

size_t bench_rounds_column(const struct bench_rounds *rounds,
			   enum bench_state state, size_t column, int divisor,
			   double to[BENCH_ROUNDS_STORED])
{
	size_t count = 0, i;

	for (i = 0; i < rounds->count; i++) {
		const double *const value = rounds->value + i * rounds->columns;

		if (!is_in(rounds, i, state))
			continue;
		to[count++] = divisor < 0 ? value[column]
					  : value[column] / value[divisor];
	}
	return count;
}

size_t bench_rounds_loops(const struct bench_rounds *rounds,
			  enum bench_state state,
			  double to[BENCH_ROUNDS_STORED])
{
	size_t count = 0, i;

	for (i = 0; i < rounds->count; i++)
		if (is_in(rounds, i, state))
			to[count++] = rounds->loops[i].fastest;
	return count;
}
