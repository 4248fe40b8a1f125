/* SPDX-License-Identifier: MIT */
#include "emit.h"

#include <stdio.h>
#include <string.h>

#include "../bench.h"

static struct bench_row new_row(enum bench_state state, const char *what)
{
	struct bench_row row;

	memset(&row, 0, sizeof(row));
	snprintf(row.what, sizeof(row.what), "%s", what);
	snprintf(row.state, sizeof(row.state), "%s", bench_state_name[state]);
	return row;
}

/* Adds one column's share to the mean that a row shows. */
static void add_column(const struct bench_rounds *rounds, struct bench_row *row,
		       enum bench_state state, size_t column, uint32_t columns)
{
	double sample[BENCH_ROUNDS_STORED];
	struct bench_row one;

	bench_summary(sample,
		      bench_rounds_column(rounds, state, column, -1, sample),
		      &one);
	row->median += one.median / columns;
	row->low += one.low / columns;
	row->high += one.high / columns;
	row->min += one.min / columns;
}

/* Returns the median, over the rounds, of column / divisor. */
static double ratio_of(const struct bench_rounds *rounds,
		       enum bench_state state, size_t column, int divisor)
{
	double sample[BENCH_ROUNDS_STORED];
	struct bench_row row;

	bench_summary(
		sample,
		bench_rounds_column(rounds, state, column, divisor, sample),
		&row);
	return row.median;
}

static void emit(const struct bench_rounds *rounds, enum bench_state state,
		 const struct part_process *process,
		 const struct part_row *part)
{
	struct bench_row row = new_row(state, part->what);
	const size_t first = process->first_column + part->first;
	uint32_t i;

	snprintf(row.unit, sizeof(row.unit), "ns");
	snprintf(row.note, sizeof(row.note), "%s", part->missing);
	for (i = 0; !row.note[0] && i < part->count; i++)
		add_column(rounds, &row, state, first + i, part->count);
	if (!row.note[0] && part->divisor >= 0) {
		snprintf(row.against, sizeof(row.against), "%s", part->against);
		row.ratio =
			ratio_of(rounds, state, first,
				 (int)process->first_column + part->divisor);
	}
	bench_emit(&row);
}

static void emit_heading(const struct bench_rounds *rounds,
			 enum bench_state state,
			 const struct wait_for *wait_for)
{
	struct bench_row row = new_row(state, bench_state_name[state]);
	const size_t seen = bench_rounds_seen(rounds, state);

	if (seen < wait_for->rounds)
		snprintf(row.note, sizeof(row.note),
			 "too few rounds: %zu of %zu in %llu s", seen,
			 wait_for->rounds,
			 (unsigned long long)wait_for->seconds);
	else
		snprintf(row.note, sizeof(row.note),
			 "%zu rounds, %zu in neither state; empty loop %s",
			 seen, rounds->neither,
			 state == BENCH_QUIET ? "at most 1.3 x the lowest"
					      : "over 1.7 x the lowest");
	bench_emit(&row);
}

static void emit_loop(const struct bench_rounds *rounds, enum bench_state state)
{
	struct bench_row row = new_row(state, "empty loop, an iteration");
	double sample[BENCH_ROUNDS_STORED];

	snprintf(row.unit, sizeof(row.unit), "ns");
	bench_summary(sample, bench_rounds_loops(rounds, state, sample), &row);
	bench_emit(&row);
}

void emit_state(const struct bench_rounds *rounds, const struct parts *parts,
		enum bench_state state, const struct wait_for *wait_for)
{
	size_t p, r;

	emit_heading(rounds, state, wait_for);
	if (bench_rounds_seen(rounds, state) < wait_for->rounds)
		return;
	emit_loop(rounds, state);
	for (p = 0; p < parts->count; p++)
		for (r = 0; r < parts->process[p].head.rows; r++)
			if (parts->process[p].row[r].what[0])
				emit(rounds, state, &parts->process[p],
				     &parts->process[p].row[r]);
}
