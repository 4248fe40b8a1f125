/* SPDX-License-Identifier: MIT */
/*
 * Rounds of measurements, sorted into two states by an empty loop. The state
 * depends on what runs on the sibling hardware thread, which programs cannot
 * see.
 */
#ifndef BENCH_STATES_ROUNDS_H
#define BENCH_STATES_ROUNDS_H

#include <stdbool.h>
#include <stddef.h>

/* Limits of the states, as factors of the lowest empty loop of the run. */
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

/*
 * The fastest and the slowest empty loop at the starts and ends of a round's
 * parts.
 */
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

/* Returns the state of a round in which the empty loops took this long. */
enum bench_state bench_state_of(const struct bench_loops *loops, double lowest);

/*
 * Returns the columns of the next round, for the caller to fill in. Returns
 * NULL if there is no room for one.
 */
double *bench_rounds_next(struct bench_rounds *rounds);

/*
 * Keeps the round whose columns bench_rounds_next() returned, unless the round
 * belongs to neither state.
 */
void bench_rounds_keep(struct bench_rounds *rounds,
		       const struct bench_loops *loops);

/*
 * Returns the state according to a single empty loop, without keeping a round.
 */
enum bench_state bench_rounds_glance(struct bench_rounds *rounds, double loop);

/*
 * Returns the number of rounds in a state. If a later empty loop is the lowest
 * of the run so far, the states of earlier rounds may change.
 */
size_t bench_rounds_seen(const struct bench_rounds *rounds,
			 enum bench_state state);

/*
 * Copies the values of a column in the rounds of a state. If divisor is not
 * negative, divides each value by column `divisor` of the same round. Returns
 * the number of values.
 */
size_t bench_rounds_column(const struct bench_rounds *rounds,
			   enum bench_state state, size_t column, int divisor,
			   double to[BENCH_ROUNDS_STORED]);

/*
 * Copies the fastest empty loops of the rounds in a state. Returns their
 * number.
 */
size_t bench_rounds_loops(const struct bench_rounds *rounds,
			  enum bench_state state,
			  double to[BENCH_ROUNDS_STORED]);

#endif
