/* SPDX-License-Identifier: MIT */
/* The text writer, and what its parts share. */
#ifndef SELFMON_REPORT_TEXT_H
#define SELFMON_REPORT_TEXT_H

#include "platform/escape.h"
#include "report/model.h"
#include "report/number.h"
#include "report/view.h"

/* The widths of a paragraph and of a table, in terminal columns. */
#define SELFMON_LINE_COLUMNS 100
#define SELFMON_TABLE_COLUMNS 120
/* Width of a region's name; the columns of time take the rest. */
#define SELFMON_LABEL_COLUMNS 36

/* Width of a label in the header. */
#define SELFMON_HEADER_COLUMNS 13

/* Marks after a number, the most important first. */
enum selfmon_mark {
	SELFMON_MARK_OPEN = 1,       /* * on visits: some are open */
	SELFMON_MARK_CUT_OFF = 2,    /* x on visits: some never ended */
	SELFMON_MARK_NO_SELF = 4,    /* ^ */
	SELFMON_MARK_LEFT_OUT = 8,   /* ! */
	SELFMON_MARK_SCALED = 16,    /* ~ */
	SELFMON_MARK_NOISE = 32,     /* ? */
	SELFMON_MARK_SYSCALL = 64,   /* s */
	SELFMON_MARK_MOVED = 128,    /* m on visits: recorded elsewhere */
	SELFMON_MARK_DASH = 256      /* the dash: not counted */
};

struct selfmon_text {
	const struct selfmon_report *report;
	const struct selfmon_viewed *viewed;
	FILE *stream;
	/* The paragraph being written. */
	unsigned int column, indent;
	bool space;
	/*
	 * The spaces that are due in the current row. They are dropped at its
	 * end.
	 */
	unsigned int pending;
	/* Labels of regions. */
	unsigned int label_columns, step;
	/* For each row: whether to show file and line; NULL: all rows. */
	unsigned char *located;
	/* The marks that the legend must explain. */
	unsigned int marks;
	double share_least, share_most;
	bool in_step; /* samples stand for more than the time allows */
};

/*
 * A text of known width: at most 4 bytes for each column, or an escape
 * sequence.
 */
#define SELFMON_CELL_COLUMNS 100
struct selfmon_cell {
	char text[SELFMON_CELL_COLUMNS * 4 + 20];
	unsigned int bytes, columns;
};

/* Returns 0 or -ENOMEM. */
SELFMON_COLD
int selfmon_report_text(const struct selfmon_viewed *viewed, FILE *stream);

#endif
