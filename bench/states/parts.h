/* SPDX-License-Identifier: MIT */
/* The processes that measure the parts of a round, on the bench's own CPU. */
#ifndef BENCH_STATES_PARTS_H
#define BENCH_STATES_PARTS_H

#include <sys/types.h>

#include "part.h"

#define PARTS_MAX 32

struct part_process {
	pid_t pid;
	int to, from;	     /* pipes */
	/* Index of its first column among a round's columns. */
	size_t first_column;
	struct part_head head;
	struct part_row row[PART_ROWS_MAX];
};

struct parts {
	struct part_process process[PARTS_MAX];
	size_t count, columns;
};

/*
 * Starts a process for each part of each form of the library: static, shared and
 * so on, and Tracy. Prints the forms whose program was not built.
 */
void parts_start(struct parts *parts);

/*
 * Measures all parts, one after the other, and fills in the columns of a round.
 */
void parts_measure(struct parts *parts, double *column,
		   struct bench_loops *loops);

/* Ends the parts. If one fails, as if it has lost a visit, the bench fails. */
void parts_end(struct parts *parts);

#endif
