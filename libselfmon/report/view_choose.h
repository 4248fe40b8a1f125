/* SPDX-License-Identifier: MIT */
/* Which rows of a report a view has. */
#ifndef SELFMON_REPORT_VIEW_CHOOSE_H
#define SELFMON_REPORT_VIEW_CHOOSE_H

#include "report/view.h"

enum selfmon_row_fate {
	SELFMON_ROW_KEPT,
	SELFMON_ROW_FOLDED, /* others stand for it */
	SELFMON_ROW_OUT     /* nothing does */
};

struct selfmon_chosen {
	double key;      /* the larger the earlier */
	enum selfmon_row_fate fate;
	uint32_t hidden; /* children that are folded */
	int32_t place;   /* where it went; of folded rows, the others */
	int32_t others;  /* those below it; 0: none, else their place + 1 */
};

struct selfmon_view_choice {
	const struct selfmon_view *view;
	const struct selfmon_report *from;
	struct selfmon_chosen *top; /* what is around the top level */
	struct selfmon_chosen *row; /* by row */
};

/* view_columns.c: sets each row's key. */
SELFMON_COLD
void selfmon_view_keys(const struct selfmon_view_choice *choice);

/* Decides each row's fate; rows as for selfmon_view_make(). 0 or -ENOMEM. */
SELFMON_COLD
int selfmon_view_choose(const struct selfmon_view_choice *choice, size_t rows);

#endif
