/* SPDX-License-Identifier: MIT */
/*
 * A view of a report: which of its rows and columns are written, and in what
 * order. It lies between the settled model and the writers, which write a view
 * as they write a report.
 */
#ifndef SELFMON_REPORT_VIEW_H
#define SELFMON_REPORT_VIEW_H

#include "report/metric.h"

#define SELFMON_VIEW_COLUMNS_SIZE 512
#define SELFMON_VIEW_FIND_SIZE 256
#define SELFMON_VIEW_MESSAGE_SIZE 768

/* Rows of a text report that names no number. */
#define SELFMON_VIEW_ROWS 60

/* Once a report: small code rather than fast. */
#define SELFMON_COLD __attribute__((cold))

/* All zero: the report as it is, of text the first rows. */
struct selfmon_view {
	bool flat, collapse;
	bool threads;     /* rows by thread */
	bool limited;     /* top was set */
	uint32_t top;     /* rows with a name; 0: all */
	uint32_t depth;   /* levels; 0: all */
	double min_share; /* of the top level; 0: all */
	char sort[SELFMON_METRIC_NAME_SIZE];     /* "": by time */
	char columns[SELFMON_VIEW_COLUMNS_SIZE]; /* with +; "": all */
	char find[SELFMON_VIEW_FIND_SIZE];       /* "": all */
};

/* The columns of the first table of text. */
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

/* Which columns are written: of time, of events, of metrics. */
struct selfmon_shown {
	bool time[SELFMON_SHOW_COUNT];
	bool column[SELFMON_MAX_COUNTERS];
	bool ratio[SELFMON_RATIOS_MAX];
};

/* A report with the rows of a view, and what became of the others. */
struct selfmon_viewed {
	const struct selfmon_report *whole; /* all rows */
	const struct selfmon_report *report; /* those of the view */
	struct selfmon_report *made;  /* the same if they differ, or NULL */
	bool flat;
	bool page;      /* folded to the most rows of a page */
	size_t rows;    /* of the whole, after recursion was merged */
	size_t folded;  /* rows that "others" stand for */
	size_t left_out; /* rows that nothing stands for: depth, find */
	struct selfmon_shown shown;
};

/*
 * view.c: sets one option, "name" or "name=value" of so many bytes. Returns 0,
 * or -EINVAL with a message that names the option, its value and what is
 * allowed; nothing is set then.
 */
SELFMON_COLD
int selfmon_view_option(struct selfmon_view *view, const char *option,
			size_t length, char message[SELFMON_VIEW_MESSAGE_SIZE]);
/*
 * Does the report have the columns that the view names? Returns 0, or -EINVAL
 * with a message; what is wrong was taken out of the view, which may have more.
 */
SELFMON_COLD
int selfmon_view_check(struct selfmon_view *view,
		       const struct selfmon_report *report,
		       char message[SELFMON_VIEW_MESSAGE_SIZE]);

extern const char selfmon_time_name[SELFMON_SHOW_COUNT][8];
/* view_columns.c: their names; and column i by name: of time, of events, of metrics. */
SELFMON_COLD
bool selfmon_view_column_name(const struct selfmon_report *report,
			      const struct selfmon_ratios *ratios, size_t i,
			      char name[SELFMON_METRIC_NAME_SIZE]);
SELFMON_COLD
void selfmon_view_show(const struct selfmon_view *view,
		       const struct selfmon_report *report,
		       struct selfmon_shown *shown);
/* Of JSON and CSV: the events shown, and those that metrics shown divide. */
SELFMON_COLD
void selfmon_view_drop_columns(struct selfmon_report *made,
			       const struct selfmon_shown *shown);

/*
 * view_rows.c: if there are more than so many rows, at most the second number is
 * made of them, those of others included; 0: all. Returns 0 or -ENOMEM. What
 * was viewed is freed before the report it is of.
 */
SELFMON_COLD
int selfmon_view_make(const struct selfmon_view *view,
		      const struct selfmon_report *report, size_t rows,
		      size_t beyond, struct selfmon_viewed *viewed);
SELFMON_COLD
void selfmon_view_free(struct selfmon_viewed *viewed);
/* A report of the same process without rows, with room for so many. */
struct selfmon_report *selfmon_view_empty(const struct selfmon_report *report,
					  size_t rows);
void selfmon_view_empty_free(struct selfmon_report *report);

/*
 * view_merge.c: regions of one name as one row, all of them or those that a
 * recursion runs through. Rows of threads stay, or a flat view is of all
 * threads. NULL: no memory.
 */
SELFMON_COLD
struct selfmon_report *
selfmon_view_merge(const struct selfmon_report *report, bool flat,
		   bool threads);

/* write.c: 0, -EINVAL, -EIO, or -ENOMEM. */
SELFMON_COLD
int selfmon_report_write_view(const struct selfmon_report *report,
			      enum selfmon_format format,
			      const struct selfmon_view *view, FILE *stream);

#endif
