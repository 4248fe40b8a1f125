/* SPDX-License-Identifier: MIT */
/*
 * Compares two groups of runs, by region and column.
 *
 * files -> compare_load.c -> regions with a value per run -> compare_judge.c ->
 * verdicts -> a writer
 */
#ifndef SELFMON_TOOLS_COMPARE_H
#define SELFMON_TOOLS_COMPARE_H

#include <stdbool.h>
#include <stdio.h>

#include "compare_stats.h"
#include "report_file.h"

#define COMPARE_SIDES 2 /* A is the base, and B the change */

/*
 * The columns: mean time of a visit, its percentiles, number of visits, then
 * counters.
 */
enum compare_column {
	COMPARE_TIME,
	COMPARE_P50,
	COMPARE_P99,
	COMPARE_VISITS,
	COMPARE_COUNTERS
};
#define COMPARE_COLUMNS (COMPARE_COUNTERS + SELFMON_MAX_COUNTERS)
#define COMPARE_NO_COLUMN COMPARE_COLUMNS

/* Ordered by their importance to the reader. */
enum compare_verdict {
	COMPARE_REGRESSION,   /* significant, and beyond the gate */
	COMPARE_SLOWER, /* significant, but the change may be within the gate */
	COMPARE_INCONCLUSIVE, /* the interval extends beyond the gate */
	COMPARE_FASTER,       /* significant */
	COMPARE_SAME,         /* the interval is within the gate */
	COMPARE_NO_TEST,      /* too few runs */
	COMPARE_SMALL, /* below the minimum share of time, so not judged */
	COMPARE_VERDICTS
};

/* One column of a region. */
struct compare_cell {
	bool there;             /* both sides have values */
	bool estimated;         /* a run's value is scaled */
	size_t runs[COMPARE_SIDES];
	double median[COMPARE_SIDES];
	struct compare_interval ratio; /* B / A */
	double p;               /* 1: not tested */
};

struct compare_region {
	char *path;             /* names from the top of the tree, joined by
				 * COMPARE_SEPARATOR */
	const char *name;       /* the last part of path */
	size_t depth;
	/* For each run, A's runs first; NULL: the run lacks it. */
	const struct selfmon_row **row;
	const struct selfmon_row_detail **detail;
	size_t runs[COMPARE_SIDES]; /* number of runs that have the region */
	double share; /* share of a run's time: the larger of both medians */
	struct compare_cell cell[COMPARE_COLUMNS];
	double adjusted; /* p of the primary column after Holm's correction */
	enum compare_verdict verdict;
	double weight; /* how far the primary column's ratio is from 1 */
};
#define COMPARE_SEPARATOR '\037'

struct compare_side {
	size_t first, count; /* range of the side's files */
	/* As requested; NULL: name of the side's first file. */
	const char *name;
};

#define COMPARE_MARKS 16
struct compare {
	/* Requested options. */
	const char *by;        /* the primary column's name */
	double gate;           /* 0.02: 2 % */
	double least_share;
	bool force;            /* compare different machines too */
	/* Loaded data. */
	struct report_file *file;
	struct compare_side side[COMPARE_SIDES];
	size_t regions, room;
	struct compare_region **region; /* once judged: worst first */
	const char *column[COMPARE_COLUMNS]; /* NULL: no such column */
	size_t primary;
	size_t family;         /* number of regions that are judged */
	size_t needed; /* number of runs per side that can reach significance */
	size_t verdicts[COMPARE_VERDICTS];
	size_t appeared, vanished;
	/* Warnings that the sides differ in more than the code. */
	size_t marks;
	char mark[COMPARE_MARKS][SELFMON_TEXT_MAX];
};

/* Returns true if each side has enough runs for a test. */
static inline bool compare_can_test(const struct compare *compare)
{
	return compare->side[0].count >= COMPARE_RUNS_MIN &&
	       compare->side[1].count >= COMPARE_RUNS_MIN;
}

int tool_compare(int argc, char **argv);

#endif
