/* SPDX-License-Identifier: MIT */
/*
 * Tests how the bench sorts its rounds by the state of the machine, which rows
 * it emits for a state, and how it finds the sibling CPU.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "../../bench/bench.h"
#include "../../bench/states/emit.h"
#include "../../bench/states/neighbour.h"

static struct bench_rounds rounds;

static void begin(void)
{
	cr_assert(bench_rounds_init(&rounds, 2));
}

static void end(void)
{
	bench_rounds_free(&rounds);
}

static void add(double fastest, double slowest, double first, double second)
{
	const struct bench_loops loops = { fastest, slowest };
	double *const column = bench_rounds_next(&rounds);

	cr_assert(column != NULL);
	column[0] = first;
	column[1] = second;
	bench_rounds_keep(&rounds, &loops);
}

static double median_of(enum bench_state state, int divisor)
{
	double sample[BENCH_ROUNDS_STORED];
	struct bench_row row;

	bench_summary(sample,
		      bench_rounds_column(&rounds, state, 1, divisor, sample),
		      &row);
	return row.median;
}

Test(bench_states, the_empty_loop_decides)
{
	const struct bench_loops quiet = { 0.30, 0.38 }, between = { 0.4, 0.5 },
				 busy = { 0.52, 0.7 }, changed = { 0.3, 0.7 };

	cr_assert_eq(bench_state_of(&quiet, 0.30), BENCH_QUIET);
	cr_assert_eq(bench_state_of(&busy, 0.30), BENCH_BUSY);
	cr_assert_eq(bench_state_of(&between, 0.30), BENCH_NEITHER);
	cr_assert_eq(bench_state_of(&changed, 0.30), BENCH_NEITHER);
}

Test(bench_states, a_round_of_neither_state_is_dropped, .init = begin,
     .fini = end)
{
	add(1, 1, 20, 20);
	add(1, 2, 30, 30);
	add(1.5, 1.5, 30, 30);
	cr_assert_eq(rounds.count, 1);
	cr_assert_eq(rounds.neither, 2);
	cr_assert_eq(bench_rounds_seen(&rounds, BENCH_QUIET), 1);
	cr_assert_eq(bench_rounds_seen(&rounds, BENCH_BUSY), 0);
}

/*
 * A round with a shorter time of the empty loop shows that the machine was busy
 * in all earlier rounds.
 */
Test(bench_states, a_lower_loop_moves_earlier_rounds, .init = begin,
     .fini = end)
{
	add(2, 2, 20, 26);
	add(2.1, 2.2, 20, 27);
	cr_assert_eq(bench_rounds_seen(&rounds, BENCH_QUIET), 2);
	cr_assert_eq(bench_rounds_glance(&rounds, 1), BENCH_QUIET);
	cr_assert_eq(bench_rounds_glance(&rounds, 2), BENCH_BUSY);
	cr_assert_eq(bench_rounds_seen(&rounds, BENCH_QUIET), 0);
	cr_assert_eq(bench_rounds_seen(&rounds, BENCH_BUSY), 2);
}

Test(bench_states, medians_and_ratios_are_of_one_state, .init = begin,
     .fini = end)
{
	add(1, 1, 20, 20);
	add(2, 2, 10, 30);
	add(1, 1, 20, 22);
	add(2, 2, 10, 40);
	add(1, 1, 10, 24);
	add(2, 2, 40, 50);
	cr_assert_eq(median_of(BENCH_QUIET, -1), 22);
	cr_assert_eq(median_of(BENCH_BUSY, -1), 40);
	cr_assert_eq(median_of(BENCH_QUIET, 0), 1.1);
	cr_assert_eq(median_of(BENCH_BUSY, 0), 3);
}

Test(bench_states, there_is_no_round_beyond_the_last, .init = begin,
     .fini = end)
{
	size_t i;

	for (i = 0; i < BENCH_ROUNDS_STORED; i++)
		add(1, 1, 20, 20);
	cr_assert(bench_rounds_next(&rounds) == NULL);
}

/* ---- rows ---------------------------------------------------------------- */

static struct bench_row emitted[8];
static size_t emitted_count;

/* Replaces the bench's function, which writes to a pipe. */
void bench_emit(const struct bench_row *row)
{
	cr_assert_lt(emitted_count, 8);
	emitted[emitted_count++] = *row;
}

/*
 * Emits the rows of a part with three rows: one with the mean of both columns,
 * one that was not measured because there is no PMU, and one that only serves
 * as a divisor.
 */
static void emit(enum bench_state state, size_t wanted)
{
	static struct parts parts = { .count = 1, .columns = 2 };
	const struct wait_for wait_for = { wanted, 300 };
	struct part_process *const process = &parts.process[0];

	process->head.rows = 3;
	process->row[0] = (struct part_row){ .what = "mean",
					     .against = "first",
					     .first = 0,
					     .count = 2,
					     .divisor = 1 };
	process->row[1] = (struct part_row){ .what = "counters",
					     .missing = "not measured: no PMU",
					     .divisor = -1 };
	process->row[2] = (struct part_row){ .count = 1, .divisor = -1 };
	emitted_count = 0;
	emit_state(&rounds, &parts, state, &wait_for);
}

Test(bench_states, a_state_with_too_few_rounds_has_only_a_note, .init = begin,
     .fini = end)
{
	add(1, 1, 20, 20);
	add(1, 1, 20, 20);
	add(2, 2, 20, 30);
	emit(BENCH_BUSY, 2);
	cr_assert_eq(emitted_count, 1);
	cr_assert_str_eq(emitted[0].state, "BUSY");
	cr_assert_str_eq(emitted[0].note, "too few rounds: 1 of 2 in 300 s");
}

Test(bench_states, a_state_that_was_seen_has_its_rows, .init = begin,
     .fini = end)
{
	add(1, 1, 20, 30);
	add(2, 2, 40, 20);
	add(2, 3, 60, 30);
	emit(BENCH_BUSY, 2);
	cr_assert_eq(emitted_count, 4);
	cr_assert_eq(strncmp(emitted[0].note, "2 rounds, ", 10), 0);
	cr_assert_eq(emitted[1].median, 2);
	cr_assert_str_eq(emitted[2].what, "mean");
	cr_assert_str_eq(emitted[2].state, "BUSY");
	cr_assert_eq(emitted[2].median, 45);
	cr_assert_eq(emitted[2].ratio, 2);
	cr_assert_str_eq(emitted[3].note, "not measured: no PMU");
}

/* ---- the sibling CPU ----------------------------------------------------- */

Test(bench_states, a_sibling_is_another_cpu_of_the_list)
{
	cr_assert_eq(neighbour_in("0,4\n", 0), 4);
	cr_assert_eq(neighbour_in("0,4\n", 4), 0);
	cr_assert_eq(neighbour_in("0-1\n", 0), 1);
	cr_assert_eq(neighbour_in("0-1\n", 1), 0);
	cr_assert_eq(neighbour_in("2-3,10-11\n", 2), 3);
	cr_assert_eq(neighbour_in("3\n", 3), -1);
	cr_assert_eq(neighbour_in("", 3), -1);
	cr_assert_eq(neighbour_in("none", 3), -1);
}
