/* SPDX-License-Identifier: MIT */
/*
 * Measures one part of a round, for bench/states/states:
 *
 *	candidate PART FORM
 *
 * FORM is the name of the library's form with which the program was linked; ""
 * if only one form is measured. The protocol is in part.h.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <selfmon.h>

#include "../bench.h"
#include "candidate.h"
#include "empty.h"
#include "part.h"

#define LOOP_NS 30000 /* target time of a candidate in a round */
#define LOOP_MAX 4000
#define WARM_UP 8 /* the warm-up is 1/8 of a loop */

uint64_t candidate_visits;

static const struct part {
	const char *name;
	void (*prepare)(void);
	/* NULL: the part is "in-situ", which measures regions around work */
	const struct candidate *candidates;
} parts[] = {
	{ "time", prepare_time, candidates_time },
	{ "off", prepare_off, candidates_off },
	{ "recorded", prepare_recorded, candidates_recorded },
	{ "traced", prepare_traced, candidates_traced },
	{ "fibers", prepare_fibers, candidates_fibers },
	{ "software", prepare_software, candidates_software },
	{ "hardware-set", prepare_hardware_set, candidates_hardware_set },
	{ "hardware", prepare_hardware, candidates_hardware },
#ifdef BENCH_TRACY
	{ "tracy", prepare_tracy, candidates_tracy },
	{ "in-situ", prepare_tracy_in_situ, NULL },
#else
	{ "in-situ", prepare_in_situ, NULL },
#endif
};

static const struct part *part;
static struct part_head head;
static struct part_row row[PART_ROWS_MAX];
static uint64_t loops[PART_ROWS_MAX];

static void send(const void *data, size_t size)
{
	if (write(STDOUT_FILENO, data, size) != (ssize_t)size)
		bench_fail("part %s: the pipe has no reader", part->name);
}

static bool is_there(const struct candidate *candidate)
{
	return !candidate->is_there || candidate->is_there();
}

static uint64_t loop_ns(const struct candidate *candidate, uint64_t n)
{
	const uint64_t start = bench_now_ns();

	candidate->loop(n);
	return bench_now_ns() - start;
}

/*
 * Returns the n for which the loop takes about LOOP_NS: a multiple of the
 * candidate's unit, at most LOOP_MAX.
 */
static uint64_t length_of(const struct candidate *candidate)
{
	const uint64_t unit = candidate->unit;
	uint64_t ns = UINT64_MAX, units;
	int i;

	for (i = 0; i < 3; i++) {
		const uint64_t took = loop_ns(candidate, unit);

		ns = took < ns ? took : ns;
	}
	units = LOOP_NS / (ns ? ns : 1);
	if (units > LOOP_MAX / unit)
		units = LOOP_MAX / unit;
	return (units ? units : 1) * unit;
}

static void describe(struct part_row *to, const char *what, const char *form,
		     uint32_t columns)
{
	if (what[0])
		snprintf(to->what, sizeof(to->what), "%s%s%s", what,
			 form[0] ? ", " : "", form);
	to->first = head.columns;
	to->count = columns;
	to->divisor = -1;
	head.columns += columns;
	head.rows++;
}

static void describe_candidates(const char *form)
{
	const struct candidate *candidate = part->candidates;

	for (; candidate->what; candidate++) {
		struct part_row *const to = &row[head.rows];

		loops[head.rows] =
			is_there(candidate) ? length_of(candidate) : 0;
		describe(to, candidate->what, form, 1);
		if (!is_there(candidate))
			snprintf(to->missing, sizeof(to->missing), "%s",
				 candidate->missing);
		if (!candidate->against)
			continue;
		to->divisor = 0;
		snprintf(to->against, sizeof(to->against), "%s",
			 candidate->against);
	}
}

static void describe_work(const char *form)
{
	static const char *const what[] = { "work of 9 kinds alone",
					    "added to work by a bare floor",
					    "added to work by a region" };
	size_t i;

	for (i = 0; i < sizeof(what) / sizeof(what[0]); i++)
		describe(&row[i], what[i], form, IN_SITU_KINDS);
}

static double column(size_t i)
{
	const struct candidate *const candidate = &part->candidates[i];
	const uint64_t unit = candidate->unit;

	if (!loops[i])
		return 0;
	candidate->loop((loops[i] / unit / WARM_UP + 1) * unit);
	return (double)loop_ns(candidate, loops[i]) /
	       (double)(loops[i] * candidate->each);
}

static void add_loop(struct bench_loops *to)
{
	const double ns = empty_loop_ns();

	if (to->fastest <= 0 || ns < to->fastest)
		to->fastest = ns;
	if (ns > to->slowest)
		to->slowest = ns;
}

static void measure(void)
{
	struct part_round round;
	size_t i;

	memset(&round, 0, sizeof(round));
	add_loop(&round.loops);
	if (part->candidates)
		for (i = 0; i < head.rows; i++)
			round.column[i] = column(i);
	else
		in_situ_measure(round.column, round.column + IN_SITU_KINDS,
				round.column + 2 * IN_SITU_KINDS);
	add_loop(&round.loops);
	send(&round, sizeof(round));
}

/* Fails unless the report contains every visit. */
static void check(void)
{
	struct selfmon_report *report;
	uint64_t visits = 0;
	size_t i;

	if (selfmon_report_take(&report))
		bench_fail("no report");
	for (i = 0; i < selfmon_report_row_count(report); i++)
		visits += selfmon_report_row(report, i)->visits;
	selfmon_report_free(report);
	if (visits != candidate_visits)
		bench_fail("%s: %llu visits, must be %llu", part->name,
			   (unsigned long long)visits,
			   (unsigned long long)candidate_visits);
}

int main(int argc, char **argv)
{
	char go;
	size_t i;

	for (i = 0; argc == 3 && i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strcmp(parts[i].name, argv[1]) == 0)
			part = &parts[i];
	if (!part)
		return 2;
	part->prepare();
	if (part->candidates)
		describe_candidates(argv[2]);
	else
		describe_work(argv[2]);
	send(&head, sizeof(head));
	send(row, head.rows * sizeof(row[0]));
	while (read(STDIN_FILENO, &go, 1) == 1)
		measure();
	check();
	return 0;
}
