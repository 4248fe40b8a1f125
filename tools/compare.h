/* SPDX-License-Identifier: MIT */
/*
 * Compares two groups of runs, by region and column.
 *
 * files -> compare_load.c -> regions with a row per run -> compare_judge.c ->
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
 * The columns: mean time of a visit, percentiles, number of visits, then
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

/*
 * In descending order of importance to the reader. The interval is the 95 %
 * confidence interval of B / A. The gate is the largest change that is no
 * regression.
 */
enum compare_verdict {
	/* significant; the whole interval is above the gate */
	COMPARE_REGRESSION,
	/* significant; at most a part of the interval is above the gate */
	COMPARE_SLOWER,
	/* not significant; the interval extends beyond the gate */
	COMPARE_INCONCLUSIVE,
	COMPARE_FASTER,       /* significant */
	COMPARE_SAME,         /* not significant, within the gate */
	COMPARE_NO_TEST,      /* too few runs */
	/*
	 * Not judged: below the minimum share of time, or at least one side has
	 * no values of the primary column.
	 */
	COMPARE_SMALL,
	COMPARE_VERDICTS
};

/* The values of one column of a region. */
struct compare_cell {
	bool there;             /* both sides have values */
	bool estimated;         /* a run's value is an estimate */
	size_t runs[COMPARE_SIDES];
	double median[COMPARE_SIDES];
	struct compare_interval ratio; /* B / A */
	double p;               /* 1: not tested */
};

struct compare_region {
	char *path;             /* names from the top, each after a separator */
	const char *name;       /* the last part of path */
	size_t depth;
	/* For each run, those of A first: the region's row, or NULL. */
	const struct selfmon_row **row;
	const struct selfmon_row_detail **detail;
	size_t runs[COMPARE_SIDES]; /* number of runs that have the region */
	/*
	 * The region's share of a run's time: the median of A or of B,
	 * whichever is larger.
	 */
	double share;
	struct compare_cell cell[COMPARE_COLUMNS];
	/* P value of the primary column after Holm's correction. */
	double adjusted;
	enum compare_verdict verdict;
	double weight; /* how far the ratio of the primary column is from 1 */
};
#define COMPARE_SEPARATOR '\037'

struct compare_side {
	size_t first, count; /* indices of the side's files */
	/* From --name-a or --name-b; NULL: print the name of the first file. */
	const char *name;
};

#define COMPARE_MARKS 16
struct compare {
	/* Requested options. */
	const char *by;        /* name of the primary column */
	double gate;           /* 0.02: 2 % */
	double least_share;
	bool force;            /* compare even if the machines differ */
	/* Loaded data. */
	struct report_file *file;
	struct compare_side side[COMPARE_SIDES];
	size_t regions, room;
	struct compare_region **region; /* after judging: worst first */
	const char *column[COMPARE_COLUMNS]; /* NULL: no such column */
	size_t primary;
	size_t family;         /* number of regions that are judged */
	/*
	 * Minimum number of runs per side that can reach p < 0.05 after Holm's
	 * correction.
	 */
	size_t needed;
	size_t verdicts[COMPARE_VERDICTS];
	size_t appeared, vanished;
	/* Warnings, such as that runs differ in more than the code. */
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
