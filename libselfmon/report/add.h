/* SPDX-License-Identifier: MIT */
/* Rows of one report as one row. */
#ifndef SELFMON_REPORT_ADD_H
#define SELFMON_REPORT_ADD_H

#include "report/view.h"

/*
 * Adds the visits of a row and the values of all its visits; sums saturate. A
 * row that was added to nothing is the row itself, but for its place and its
 * times of single visits. Returns 0 or -ENOMEM.
 */
SELFMON_COLD
int selfmon_row_add(struct selfmon_row *to, struct selfmon_row_detail *to_detail,
		    const struct selfmon_row *from,
		    const struct selfmon_row_detail *from_detail,
		    size_t columns);
/* Takes the inclusive values of a row out of those of one around it. */
SELFMON_COLD
void selfmon_row_take_out(struct selfmon_row *to, const struct selfmon_row *from,
			  size_t columns);
/* The same of what was self of the row: its own values alone. */
SELFMON_COLD
void selfmon_row_add_self(struct selfmon_row *to, const struct selfmon_row *from,
			  size_t columns);
/* After the last: shares of the time on the PMU. */
SELFMON_COLD
void selfmon_row_added(struct selfmon_row *row,
		       const struct selfmon_row_detail *detail, size_t columns);
/*
 * Settles row i, to which all rows that it is the sum of were added: shares and
 * the times of single visits. Returns 0 or -ENOMEM.
 */
SELFMON_COLD
int selfmon_row_settle_sum(const struct selfmon_report *to, size_t i);
/* Those of two lists in one, rising. Returns 0 or -ENOMEM. */
SELFMON_COLD
int selfmon_buckets_add(struct selfmon_row_detail *to,
			const struct selfmon_row_detail *from);

#endif
