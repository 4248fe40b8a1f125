/* SPDX-License-Identifier: MIT */
/* The empty loop, whose time shows the state of the machine. */
#ifndef BENCH_STATES_EMPTY_H
#define BENCH_STATES_EMPTY_H

/*
 * Returns ns per iteration, the shortest of several tries: a try with a context
 * switch does not show the state.
 */
double empty_loop_ns(void);

#endif
