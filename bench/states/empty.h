/* SPDX-License-Identifier: MIT */
/* The empty loop, whose time shows the state of the machine. */
#ifndef BENCH_STATES_EMPTY_H
#define BENCH_STATES_EMPTY_H

/*
 * Returns ns an iteration, the shortest of several tries: a context switch is
 * no state.
 */
double empty_loop_ns(void);

#endif
