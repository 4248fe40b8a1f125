/* SPDX-License-Identifier: MIT */
/* The rows of a state, sent to the bench. */
#ifndef BENCH_STATES_EMIT_H
#define BENCH_STATES_EMIT_H

#include <stddef.h>
#include <stdint.h>

#include "parts.h"

/* Rounds of each state, and for how long at most. */
struct wait_for {
	size_t rounds;
	uint64_t seconds;
};

/* A state with fewer rounds has one row, which says so. */
void emit_state(const struct bench_rounds *rounds, const struct parts *parts,
		enum bench_state state, const struct wait_for *wait_for);

#endif
