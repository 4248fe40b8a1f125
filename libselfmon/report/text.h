/* SPDX-License-Identifier: MIT */
/* What the parts of the text report share. */
#ifndef SELFMON_REPORT_TEXT_H
#define SELFMON_REPORT_TEXT_H

#include "platform/escape.h"
#include "report/model.h"
#include "report/number.h"

#define SELFMON_LINE_COLUMNS 100
/* Of a region's name: what the columns of time leave. */
#define SELFMON_LABEL_COLUMNS 32

/* Of a label in the header. */
#define SELFMON_HEADER_COLUMNS 13

/* Marks behind a number, most important first. */
enum selfmon_mark {
	SELFMON_MARK_OPEN = 1,       /* * on visits: some are open */
	SELFMON_MARK_CUT_OFF = 2,    /* x on visits: some never ended */
	SELFMON_MARK_NO_SELF = 4,    /* ^ */
	SELFMON_MARK_LEFT_OUT = 8,   /* ! */
	SELFMON_MARK_SCALED = 16,    /* ~ */
	SELFMON_MARK_NOISE = 32,     /* ? */
	SELFMON_MARK_SYSCALL = 64,   /* s */
	SELFMON_MARK_MOVED = 128,    /* m on visits: shown elsewhere */
	SELFMON_MARK_DASH = 256      /* the dash itself: not counted */
};

struct selfmon_text {
	const struct selfmon_report *report;
	FILE *stream;
	/* A paragraph on its way. */
	unsigned int column, indent;
	bool space;
	/* A row on its way: spaces, unless it ends here. */
	unsigned int pending;
	/* Labels of regions. */
	unsigned int label_columns, step;
	unsigned char *located; /* by row: has a twin; NULL: all do */
	/* What the legend has to explain. */
	unsigned int marks;
	double share_least, share_most;
};

/* Text of a known width: at most 4 bytes a column, or an escape. */
#define SELFMON_CELL_COLUMNS 100
struct selfmon_cell {
	char text[SELFMON_CELL_COLUMNS * 4 + 20];
	unsigned int bytes, columns;
};

/* text_cell.c: appends a string, escaped, its middle cut to fit columns. */
void selfmon_cell_add(struct selfmon_cell *cell, const char *s,
		      unsigned int columns);

/* text_line.c: paragraphs that wrap, and cells that line up. */
void selfmon_text_begin(struct selfmon_text *text, const char *label,
			unsigned int indent);
void selfmon_text_say(struct selfmon_text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void selfmon_text_end(struct selfmon_text *text);
void selfmon_text_right(struct selfmon_text *text, const char *ascii,
			unsigned int columns);
void selfmon_text_left(struct selfmon_text *text,
		       const struct selfmon_cell *cell, unsigned int columns);
void selfmon_text_marks(struct selfmon_text *text, unsigned int marks,
			unsigned int columns);

void selfmon_text_row_end(struct selfmon_text *text);

/* text_label.c: a region's place in the tree. */
void selfmon_label_prepare(struct selfmon_text *text);
void selfmon_label_put(struct selfmon_text *text, size_t row);

/* text_clock.c */
void selfmon_text_say_time(struct selfmon_text *text, const char *before,
			   double ns, const char *after);
void selfmon_text_clock(struct selfmon_text *text);

/* text_header.c, text_table.c, text_counters.c, text_notes.c */
void selfmon_text_header(struct selfmon_text *text);
/* Returns how many of the processes have measured the library's overhead. */
size_t selfmon_text_calibrated(const struct selfmon_report *report);
void selfmon_text_times(struct selfmon_text *text);
void selfmon_text_counters(struct selfmon_text *text);
void selfmon_text_legend(struct selfmon_text *text);
void selfmon_text_notes(struct selfmon_text *text);

/* text_value.c: a number and its marks. */
unsigned int selfmon_value_marks(struct selfmon_text *text,
				 const struct selfmon_row *row, int column);
/* text_metrics.c: those of both operands, and why there are dashes. */
struct selfmon_ratio;
unsigned int selfmon_ratio_marks(struct selfmon_text *text,
				 const struct selfmon_row *row,
				 const struct selfmon_ratio *ratio);
void selfmon_text_metric_reasons(struct selfmon_text *text);
/* The net value, never below 0; NaN if there is none. */
double selfmon_value_net(const struct selfmon_quantity *quantity);

#endif
