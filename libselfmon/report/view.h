/* SPDX-License-Identifier: MIT */
/*
 * A view of a report: which rows and columns to write, and in which order. A
 * view is made from a complete report and has the same struct, so writers
 * handle views and reports in the same way.
 */
#ifndef SELFMON_REPORT_VIEW_H
#define SELFMON_REPORT_VIEW_H

#include "report/metric.h"

#define SELFMON_VIEW_COLUMNS_SIZE 512
#define SELFMON_VIEW_FIND_SIZE 256
#define SELFMON_VIEW_MESSAGE_SIZE 768

/*
 * Maximum number of rows in the tables of a text report together, if the user
 * does not set the option top. selfmon_text_rows() has the exceptions.
 */
#define SELFMON_VIEW_ROWS 60

/* Optimises code that runs once per report for size. */
#define SELFMON_COLD __attribute__((cold))

/*
 * If all members are 0, the view is the unchanged report. In text, the rows
 * that do not fit on a page are folded.
 */
struct selfmon_view {
	bool flat, collapse;
	bool threads;     /* rows by thread */
	bool limited;     /* top was set */
	uint32_t top;     /* number of rows without "others"; 0: all */
	uint32_t depth;   /* levels; 0: all */
	double min_share; /* of the time of all top-level rows; 0: all */
	char sort[SELFMON_METRIC_NAME_SIZE];     /* "": by time */
	char columns[SELFMON_VIEW_COLUMNS_SIZE]; /* separated by +; "": all */
	char find[SELFMON_VIEW_FIND_SIZE];       /* "": all */
};

/* The columns of the first table in a text report. */
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

/* Which columns to write: of time, of events and of metrics. */
struct selfmon_shown {
	bool time[SELFMON_SHOW_COUNT];
	bool column[SELFMON_MAX_COUNTERS];
	bool ratio[SELFMON_RATIOS_MAX];
	bool units; /* whether to write the table of units */
};

/* A report with the rows of a view, and counts of the rows left out. */
struct selfmon_viewed {
	const struct selfmon_report *whole; /* all rows */
	const struct selfmon_report *report; /* the view's rows */
	/*
	 * The report that was made for this view, or NULL if the view shows an
	 * existing report unchanged.
	 */
	struct selfmon_report *made;
	bool flat;
	bool page;      /* folded so that the rows fit on a page */
	/* rows of the whole report after merging, before folding */
	size_t rows;
	size_t folded;  /* rows that were merged into rows "others" */
	/* Rows left out without being in "others": too deep, or not found. */
	size_t left_out;
	/* Which options of the view leave out or fold rows. */
	bool by_depth, by_find, by_min_share, by_top;
	struct selfmon_shown shown;
};

/*
 * Sets one option, "name" or "name=value", of this length. Returns 0. After an
 * error returns -EINVAL and changes nothing; the message has the option, its
 * value and the allowed values.
 */
SELFMON_COLD
int selfmon_view_option(struct selfmon_view *view, const char *option,
			size_t length, char message[SELFMON_VIEW_MESSAGE_SIZE]);
/*
 * Checks that the report has what the view names: rows by thread, and the
 * columns to show and to sort by. Returns 0 if so. Otherwise clears the first
 * option that does not apply (or the whole list of columns), and returns
 * -EINVAL with a message. Then call again to check the other options.
 */
SELFMON_COLD
int selfmon_view_check(struct selfmon_view *view,
		       const struct selfmon_report *report,
		       char message[SELFMON_VIEW_MESSAGE_SIZE]);

#endif
