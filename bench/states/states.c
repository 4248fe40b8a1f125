/* SPDX-License-Identifier: MIT */
/*
 * Measures rounds until each state was seen often enough, and sends their rows
 * to the bench:
 *
 *	states --rows NAME [--quick]
 *
 * BENCH_WAIT=SECONDS    maximum time of the measurement (300, with --quick 15)
 * BENCH_NEIGHBOUR=1     makes BUSY rounds by a process on the sibling CPU
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../bench.h"
#include "emit.h"
#include "empty.h"
#include "neighbour.h"
#include "parts.h"

#define SECOND UINT64_C(1000000000)
#define PROGRESS_SECONDS 20
#define PAUSE_NS 2000000

static struct wait_for wait_for = { 50, 300 };
static struct parts parts;
static struct bench_rounds rounds;

/*
 * On a terminal updates one line each second; otherwise prints a line from time
 * to time.
 */
static void progress(uint64_t begin)
{
	static uint64_t shown;
	const bool terminal = isatty(STDERR_FILENO);
	const uint64_t now = bench_now_ns();

	if (!shown)
		shown = begin;
	if (now - shown < (terminal ? 1 : PROGRESS_SECONDS) * SECOND)
		return;
	shown = now;
	fprintf(stderr,
		"%sbench: QUIET %zu, BUSY %zu of %zu rounds, %llu s of %llu%s",
		terminal ? "\r" : "", bench_rounds_seen(&rounds, BENCH_QUIET),
		bench_rounds_seen(&rounds, BENCH_BUSY), wait_for.rounds,
		(unsigned long long)((now - begin) / SECOND),
		(unsigned long long)wait_for.seconds,
		terminal ? "\033[K" : "\n");
}

static bool is_enough(enum bench_state state)
{
	return bench_rounds_seen(&rounds, state) >= wait_for.rounds;
}

static void pause_a_moment(void)
{
	const struct timespec moment = { 0, PAUSE_NS };

	nanosleep(&moment, NULL);
}

/*
 * Measures a whole round. If the machine is in neither state, or there are
 * enough rounds of the present state, waits a moment instead.
 */
static void step(void)
{
	const enum bench_state state =
		bench_rounds_glance(&rounds, empty_loop_ns());
	struct bench_loops loops;
	double *column;

	if (state == BENCH_NEITHER || is_enough(state)) {
		pause_a_moment();
		return;
	}
	column = bench_rounds_next(&rounds);
	if (!column)
		bench_fail("too many rounds");
	parts_measure(&parts, column, &loops);
	bench_rounds_keep(&rounds, &loops);
}

static void measure(int neighbour)
{
	const uint64_t begin = bench_now_ns();

	while (!is_enough(BENCH_QUIET) || !is_enough(BENCH_BUSY)) {
		if (bench_now_ns() - begin > wait_for.seconds * SECOND)
			break;
		neighbour_spin(neighbour, is_enough(BENCH_QUIET));
		step();
		progress(begin);
	}
	neighbour_spin(neighbour, false);
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

/* ---- settings ------------------------------------------------------------ */

static int neighbour_wanted(void)
{
	const char *const value = getenv("BENCH_NEIGHBOUR");
	int cpu = -1;

	if (!value || strcmp(value, "1") != 0)
		return -1;
	cpu = neighbour_cpu();
	if (cpu < 0)
		fprintf(stderr, "bench: BENCH_NEIGHBOUR: the topology has no "
				"sibling of this CPU\n");
	return cpu;
}

static void read_settings(bool is_quick)
{
	const char *const seconds = getenv("BENCH_WAIT");
	char *end;

	if (is_quick) {
		wait_for.rounds = 10;
		wait_for.seconds = 15;
	}
	if (!seconds || !*seconds)
		return;
	wait_for.seconds = strtoull(seconds, &end, 10);
	if (*end)
		bench_fail("BENCH_WAIT=%s: seconds, such as 300", seconds);
}

int main(int argc, char **argv)
{
	const bool is_quick = argc == 4 && strcmp(argv[3], "--quick") == 0;

	if (argc < 3 || strcmp(argv[1], "--rows") != 0)
		return 2;
	bench_prepare(is_quick);
	read_settings(is_quick);
	bench_pin();
	parts_start(&parts);
	if (!bench_rounds_init(&rounds, parts.columns))
		bench_fail("no memory");
	measure(neighbour_wanted());
	parts_end(&parts);
	emit_state(&rounds, &parts, BENCH_QUIET, &wait_for);
	emit_state(&rounds, &parts, BENCH_BUSY, &wait_for);
	bench_rounds_free(&rounds);
	return 0;
}
