/* SPDX-License-Identifier: MIT */
/*
 * Rounds of measurements, put into two states by an empty loop. What runs on
 * the sibling hardware thread decides the state, and no program sees it.
 */
#ifndef BENCH_STATES_ROUNDS_H
#define BENCH_STATES_ROUNDS_H

#include <stdbool.h>
#include <stddef.h>

/* Factors over the lowest empty loop of the run. */
#define BENCH_QUIET_BELOW 1.3
#define BENCH_BUSY_ABOVE 1.7

#define BENCH_ROUNDS_STORED 500

enum bench_state {
	BENCH_QUIET,
	BENCH_BUSY,
	BENCH_STATES,
	BENCH_NEITHER = BENCH_STATES /* between, or changed during the round */
};

extern const char *const bench_state_name[BENCH_STATES];

/* Time of an empty loop, at the start and end of each part of a round. */
struct bench_loops {
	double fastest, slowest;
};

struct bench_rounds {
	size_t columns, count;
	size_t neither; /* rounds that were dropped */
	double lowest;	/* empty loop of the run; 0: none yet */
	double *value;	/* columns of each round */
	struct bench_loops loops[BENCH_ROUNDS_STORED];
};

bool bench_rounds_init(struct bench_rounds *rounds, size_t columns);
void bench_rounds_free(struct bench_rounds *rounds);

/* Returns the state of a round whose empty loops took this long. */
enum bench_state bench_state_of(const struct bench_loops *loops, double lowest);

/*
 * Returns the columns of the next round, for the caller to fill in. Returns
 * NULL if there is no room for one.
 */
double *bench_rounds_next(struct bench_rounds *rounds);

/* Keeps that round unless it is in neither state. */
void bench_rounds_keep(struct bench_rounds *rounds,
		       const struct bench_loops *loops);

/* Returns the state of an empty loop alone, without keeping a round. */
enum bench_state bench_rounds_glance(struct bench_rounds *rounds, double loop);

/* Counts the rounds of a state. A new lowest loop moves earlier rounds. */
size_t bench_rounds_seen(const struct bench_rounds *rounds,
			 enum bench_state state);

/*
 * Copies a column's values in a state, each divided by column `divisor` of the
 * same round if that is not negative. Returns their number.
 */
size_t bench_rounds_column(const struct bench_rounds *rounds,
			   enum bench_state state, size_t column, int divisor,
			   double to[BENCH_ROUNDS_STORED]);

/* Copies the rounds' fastest empty loops in a state. Returns their number. */
size_t bench_rounds_loops(const struct bench_rounds *rounds,
			  enum bench_state state,
			  double to[BENCH_ROUNDS_STORED]);

#endif
