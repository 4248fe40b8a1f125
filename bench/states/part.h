/* SPDX-License-Identifier: MIT */
/*
 * What a part of a round sends the bench: one process, which holds one form of
 * the library and one choice of events. A part sends a head and its rows. Then
 * for each byte it reads, it measures once and sends its empty loops and
 * columns.
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

/* A row: the mean of the columns' medians. It is not shown if `what` is "". */
struct part_row {
	char what[64];
	char against[24]; /* "": no ratio */
	char missing[48]; /* reason why nothing is measured; "": measured */
	uint32_t first, count;
	int32_t divisor; /* column that ratio divides by */
};

struct part_round {
	struct bench_loops loops;
	double column[PART_COLUMNS_MAX];
};

#endif
