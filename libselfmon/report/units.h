/* SPDX-License-Identifier: MIT */
/* The units that the program counts (bytes, items, ...), by row. */
#ifndef SELFMON_REPORT_UNITS_H
#define SELFMON_REPORT_UNITS_H

#include "report/gather.h"
#include "report/model.h"
#include "report/view.h"

/* Returns the row's counts of unit i, or NULL if it counted nothing. */
const struct selfmon_row_unit *
selfmon_row_unit(const struct selfmon_report *report, size_t row, size_t i);

bool selfmon_unit_is_used(const struct selfmon_report *report, size_t i);

/* Returns a quantile of the amount per visit, limited to min and max. */
double selfmon_row_unit_quantile(const struct selfmon_row_unit *unit, double q);

/*
 * Returns the array of a row's units, and allocates it if needed. Returns NULL
 * if out of memory.
 */
struct selfmon_row_unit *selfmon_row_units(struct selfmon_row_detail *detail);
/* Add one unit, or all units, to a sum. Return 0 or -ENOMEM. */
SELFMON_COLD
int selfmon_row_unit_add(struct selfmon_row_unit *to,
			 const struct selfmon_row_unit *from);
SELFMON_COLD
int selfmon_row_units_add(struct selfmon_row_detail *to,
			  const struct selfmon_row_detail *from);
void selfmon_row_units_free(struct selfmon_row_detail *detail);
/* Frees the memory that *detail owns. */
void selfmon_row_detail_free(struct selfmon_row_detail *detail);

/* Sets the list of units of a new report to bytes and items. */
void selfmon_report_units_begin(struct selfmon_report *report);
/* Computes the values of all units in all rows. Returns 0 or -ENOMEM. */
int selfmon_report_units(struct selfmon_report *report,
			 const struct selfmon_gather *gather);

#endif
