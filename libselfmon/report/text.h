/* SPDX-License-Identifier: MIT */
/* What the parts of the text report share. */
#ifndef SELFMON_REPORT_TEXT_H
#define SELFMON_REPORT_TEXT_H

#include "platform/escape.h"
#include "report/model.h"
#include "report/number.h"
#include "report/view.h"

/* Of a paragraph, and of a table. */
#define SELFMON_LINE_COLUMNS 100
#define SELFMON_TABLE_COLUMNS 120
/* Of a region's name: what the columns of time leave. */
#define SELFMON_LABEL_COLUMNS 36

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
	const struct selfmon_viewed *viewed;
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

/* text.c: Returns 0 or -ENOMEM. */
SELFMON_COLD
int selfmon_report_text(const struct selfmon_viewed *viewed, FILE *stream);

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
SELFMON_COLD
void selfmon_label_prepare(struct selfmon_text *text);
SELFMON_COLD
void selfmon_label_put(struct selfmon_text *text, size_t row);

/* text_clock.c */
void selfmon_text_say_time(struct selfmon_text *text, const char *before,
			   double ns, const char *after);
SELFMON_COLD
void selfmon_text_clock(struct selfmon_text *text);

/* text_header.c, text_table.c, text_counters.c, text_notes.c */
SELFMON_COLD
void selfmon_text_header(struct selfmon_text *text);
/* Returns how many of the processes have measured the library's overhead. */
size_t selfmon_text_calibrated(const struct selfmon_report *report);
SELFMON_COLD
void selfmon_text_times(struct selfmon_text *text);
SELFMON_COLD
void selfmon_text_counters(struct selfmon_text *text);
/* Returns how many tables of counters and metrics there are at most. */
size_t selfmon_text_counter_tables(const struct selfmon_report *report,
				   const struct selfmon_shown *shown);
/* text_rows.c: which rows there are, and which are not. */
SELFMON_COLD
void selfmon_text_folded(struct selfmon_text *text);
SELFMON_COLD
void selfmon_text_other_threads(struct selfmon_text *text);
/* Returns 0 or -ENOMEM. */
SELFMON_COLD
int selfmon_text_hot(struct selfmon_text *text);
/* As selfmon_view_make() takes them: so that all tables are a page. */
SELFMON_COLD
void selfmon_text_rows(const struct selfmon_view *view,
		       const struct selfmon_report *report, size_t *rows,
		       size_t *beyond);
/* Does the row stand for others? */
static inline bool selfmon_text_is_others(const struct selfmon_report *report,
					  size_t i)
{
	return report->detail && report->detail[i].folded;
}
SELFMON_COLD
void selfmon_text_legend(struct selfmon_text *text);
SELFMON_COLD
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
