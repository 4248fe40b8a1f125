/* SPDX-License-Identifier: MIT */
/*
 * The protocol between the bench and a part of a round. A part is a process
 * with one form of the library and one choice of events. The part sends a head
 * and its rows. Then, for each byte that it reads, the part measures once and
 * sends the times of its empty loops and its columns.
 */
#ifndef BENCH_STATES_PART_H
#define BENCH_STATES_PART_H

#include <stdint.h>

#include "rounds.h"

#define PART_COLUMNS_MAX 32
#define PART_ROWS_MAX 8

struct part_head {
	uint32_t rows, columns;
};

/*
 * A row of the output: the mean of the medians of its columns. If `what` is "",
 * the row is not shown.
 */
struct part_row {
	char what[64];
	char against[24]; /* "": no ratio */
	/* Reason why nothing is measured; "": it is measured. */
	char missing[48];
	uint32_t first, count;
	int32_t divisor; /* index of the column that the ratio divides by */
};

struct part_round {
	struct bench_loops loops;
	double column[PART_COLUMNS_MAX];
};

#endif
