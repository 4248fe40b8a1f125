/* SPDX-License-Identifier: MIT */
/* Sends the rows of a state (QUIET, BUSY) to the driver: see bench_emit(). */
#ifndef BENCH_STATES_EMIT_H
#define BENCH_STATES_EMIT_H

#include <stddef.h>
#include <stdint.h>

#include "parts.h"

/* How many rounds of each state to wait for, and for how long at most. */
struct wait_for {
	size_t rounds;
	uint64_t seconds;
};

/*
 * Emits the rows of a state. If there are fewer rounds, emits one row that says
 * so.
 */
void emit_state(const struct bench_rounds *rounds, const struct parts *parts,
		enum bench_state state, const struct wait_for *wait_for);

#endif
