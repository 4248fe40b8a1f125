/* SPDX-License-Identifier: MIT */
/*
 * A spinning process on the sibling hardware thread, so that BUSY rounds need
 * no other program. Many virtual machines hide siblings.
 */
#ifndef BENCH_STATES_NEIGHBOUR_H
#define BENCH_STATES_NEIGHBOUR_H

#include <stdbool.h>

/*
 * Returns the first CPU of a list such as "0-1" or "3,7" that is not `cpu`.
 * Returns -1 if there is none.
 */
int neighbour_in(const char *list, int cpu);

/* Returns this CPU's sibling, or -1 if the topology has none. */
int neighbour_cpu(void);

/* Starts or stops the process. Repeated calls have no effect. */
void neighbour_spin(int cpu, bool spin);

#endif
