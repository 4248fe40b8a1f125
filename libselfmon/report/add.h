/* SPDX-License-Identifier: MIT */
/* Sums rows of one report into one row. */
#ifndef SELFMON_REPORT_ADD_H
#define SELFMON_REPORT_ADD_H

#include "report/view.h"

/*
 * Adds a row's visits, units and values to a sum. Sums saturate. `threads`
 * becomes the larger of both numbers. The sum keeps its name, its position in
 * the tree, and p50_ns to max_ns. Returns 0 or -ENOMEM.
 */
SELFMON_COLD
int selfmon_row_add(struct selfmon_row *to, struct selfmon_row_detail *to_detail,
		    const struct selfmon_row *from,
		    const struct selfmon_row_detail *from_detail,
		    size_t columns);
/* Subtracts a row's inclusive values from those of a row that encloses it. */
SELFMON_COLD
void selfmon_row_take_out(struct selfmon_row *to, const struct selfmon_row *from,
			  size_t columns);
/* Adds only the self values of a row, which exclude its children. */
SELFMON_COLD
void selfmon_row_add_self(struct selfmon_row *to, const struct selfmon_row *from,
			  size_t columns);
/*
 * Call after the last row was added: computes the shares of time on the PMU,
 * and of the time of estimates that was not counted.
 */
SELFMON_COLD
void selfmon_row_added(struct selfmon_row *row,
		       const struct selfmon_row_detail *detail, size_t columns);
/*
 * Call after all rows were added to row i of the report: computes the row's
 * shares of time on the PMU and its times of single visits. Returns 0 or
 * -ENOMEM.
 */
SELFMON_COLD
int selfmon_row_settle_sum(const struct selfmon_report *to, size_t i);
#endif
