/* SPDX-License-Identifier: MIT */
/*
 * A view of a report: the rows and columns to write, and their order. It is
 * made from the settled model. Writers write a view in the same way as a report.
 */
#ifndef SELFMON_REPORT_VIEW_H
#define SELFMON_REPORT_VIEW_H

#include "report/metric.h"

#define SELFMON_VIEW_COLUMNS_SIZE 512
#define SELFMON_VIEW_FIND_SIZE 256
#define SELFMON_VIEW_MESSAGE_SIZE 768

/* Rows of a text report if no number is given. */
#define SELFMON_VIEW_ROWS 60

/* Runs once per report: optimise for size. */
#define SELFMON_COLD __attribute__((cold))

/* All zero: the unchanged report; text shows its first rows only. */
struct selfmon_view {
	bool flat, collapse;
	bool threads;     /* rows by thread */
	bool limited;     /* top was set */
	uint32_t top;     /* rows with a name; 0: all */
	uint32_t depth;   /* levels; 0: all */
	double min_share; /* of the top level; 0: all */
	char sort[SELFMON_METRIC_NAME_SIZE];     /* "": by time */
	char columns[SELFMON_VIEW_COLUMNS_SIZE]; /* separated by +; "": all */
	char find[SELFMON_VIEW_FIND_SIZE];       /* "": all */
};

/* The columns of the first text table. */
enum selfmon_time_column {
	SELFMON_SHOW_VISITS,
	SELFMON_SHOW_TOTAL,
	SELFMON_SHOW_SHARE,
	SELFMON_SHOW_SELF,
	SELFMON_SHOW_MEAN,
	SELFMON_SHOW_P50,
	SELFMON_SHOW_P90,
	SELFMON_SHOW_P99,
	SELFMON_SHOW_MIN,
	SELFMON_SHOW_MAX,
	SELFMON_SHOW_COUNT
};

/* The columns to write: of time, of events, of metrics. */
struct selfmon_shown {
	bool time[SELFMON_SHOW_COUNT];
	bool column[SELFMON_MAX_COUNTERS];
	bool ratio[SELFMON_RATIOS_MAX];
	bool units; /* the table of units: if no columns are named */
};

/* A report with the rows of a view, and counts of the rows left out. */
struct selfmon_viewed {
	const struct selfmon_report *whole; /* all rows */
	const struct selfmon_report *report; /* the view's rows */
	struct selfmon_report *made;  /* report, if not whole; or NULL */
	bool flat;
	bool page;      /* folded to the most rows of a page */
	size_t rows;    /* of the whole, after merging recursion */
	size_t folded;  /* rows that "others" stand for */
	size_t left_out; /* rows dropped without "others": depth, find */
	struct selfmon_shown shown;
};

/*
 * Sets one option of this length, "name" or "name=value". Returns 0. On
 * error returns -EINVAL and sets nothing. The message has the option, its value
 * and the allowed values.
 */
SELFMON_COLD
int selfmon_view_option(struct selfmon_view *view, const char *option,
			size_t length, char message[SELFMON_VIEW_MESSAGE_SIZE]);
/*
 * Checks that the report has the columns that the view names. Returns 0, or
 * -EINVAL with a message after removing one wrong column from the view. Call
 * again: the view may have more.
 */
SELFMON_COLD
int selfmon_view_check(struct selfmon_view *view,
		       const struct selfmon_report *report,
		       char message[SELFMON_VIEW_MESSAGE_SIZE]);

#endif
