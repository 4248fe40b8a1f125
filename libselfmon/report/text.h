/* SPDX-License-Identifier: MIT */
/* The text writer, with the definitions that its files share. */
#ifndef SELFMON_REPORT_TEXT_H
#define SELFMON_REPORT_TEXT_H

#include "platform/escape.h"
#include "report/model.h"
#include "report/number.h"
#include "report/view.h"

/* Maximum width of a paragraph and of a table, in terminal columns. */
#define SELFMON_LINE_COLUMNS 100
#define SELFMON_TABLE_COLUMNS 120
/*
 * Maximum width of a region's label: indentation, name, file and line. The
 * remaining width is for the columns of time.
 */
#define SELFMON_LABEL_COLUMNS 36

/* Width of a label in the header. */
#define SELFMON_HEADER_COLUMNS 13

/* Marks after a number, the most important one first. */
enum selfmon_mark {
	SELFMON_MARK_OPEN = 1,       /* * after visits: some are open */
	SELFMON_MARK_CUT_OFF = 2,    /* x after visits: some were never left */
	SELFMON_MARK_NO_SELF = 4,    /* ^ */
	SELFMON_MARK_LEFT_OUT = 8,   /* ! */
	SELFMON_MARK_SCALED = 16,    /* ~ */
	SELFMON_MARK_NOISE = 32,     /* ? */
	SELFMON_MARK_SYSCALL = 64,   /* s */
	SELFMON_MARK_MOVED = 128,    /* m after visits: recorded elsewhere */
	SELFMON_MARK_DASH = 256      /* the dash for a value not counted */
};

struct selfmon_text {
	const struct selfmon_report *report;
	const struct selfmon_viewed *viewed;
	FILE *stream;
	/* State of the paragraph being written. */
	unsigned int column, indent;
	bool space;
	/*
	 * Number of spaces before the next cell of the row; dropped at the end
	 * of the row.
	 */
	unsigned int pending;
	/* Labels of regions: their width, and the indentation of each level. */
	unsigned int label_columns, step;
	/*
	 * For each row, whether to show file and line; NULL: show them in all
	 * rows.
	 */
	unsigned char *located;
	/* Marks that were used, which the legend must explain. */
	unsigned int marks;
	double share_least, share_most;
	bool in_step; /* samples are in step with the program, see put_seen() */
};

/*
 * A text with its width in columns. Each column takes at most 4 bytes. An
 * escape sequence has as many bytes as columns.
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
