/* SPDX-License-Identifier: MIT */
/* Chooses the rows of a view. */
#ifndef SELFMON_REPORT_VIEW_CHOOSE_H
#define SELFMON_REPORT_VIEW_CHOOSE_H

#include "report/view.h"

enum selfmon_row_fate {
	SELFMON_ROW_KEPT,
	SELFMON_ROW_FOLDED, /* included in others */
	SELFMON_ROW_OUT     /* dropped */
};

struct selfmon_chosen {
	double key;      /* rows with larger keys come first */
	enum selfmon_row_fate fate;
	uint32_t hidden; /* folded children */
	/*
	 * Index in the view; for a folded row, the index of its row "others".
	 */
	int32_t place;
	int32_t others;  /* index + 1 of the row "others" below it; 0: none */
};

struct selfmon_view_choice {
	const struct selfmon_view *view;
	const struct selfmon_report *from;
	/* Represents the parent of all top-level rows. */
	struct selfmon_chosen *top;
	struct selfmon_chosen *row; /* by row */
};

/*
 * Decides for each row whether it is shown. `rows` limits all rows including
 * the rows "others"; 0: only the view's option `top` limits them. Returns 0 or
 * -ENOMEM.
 */
SELFMON_COLD
int selfmon_view_choose(const struct selfmon_view_choice *choice, size_t rows);

#endif
