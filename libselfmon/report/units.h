/* SPDX-License-Identifier: MIT */
/* The units that the program counts (bytes, items, ...), by row. */
#ifndef SELFMON_REPORT_UNITS_H
#define SELFMON_REPORT_UNITS_H

#include "report/gather.h"
#include "report/model.h"
#include "report/view.h"

/* Returns what a row counted of unit i, or NULL if nothing. */
const struct selfmon_row_unit *
selfmon_row_unit(const struct selfmon_report *report, size_t row, size_t i);
/* Returns true if any row counted this unit. */
bool selfmon_unit_is_used(const struct selfmon_report *report, size_t i);
/* Returns the quantile of what one visit counted, limited to min and max. */
double selfmon_row_unit_quantile(const struct selfmon_row_unit *unit, double q);

/*
 * Returns the units of a detail; makes them if needed. Returns NULL without
 * memory.
 */
struct selfmon_row_unit *selfmon_row_units(struct selfmon_row_detail *detail);
/* Adds one unit, or all units. Both return 0 or -ENOMEM. */
SELFMON_COLD
int selfmon_row_unit_add(struct selfmon_row_unit *to,
			 const struct selfmon_row_unit *from);
SELFMON_COLD
int selfmon_row_units_add(struct selfmon_row_detail *to,
			  const struct selfmon_row_detail *from);
void selfmon_row_units_free(struct selfmon_row_detail *detail);
/* Frees what a detail owns. */
void selfmon_row_detail_free(struct selfmon_row_detail *detail);

/* Sets the units of a report that has none yet: bytes and items. */
void selfmon_report_units_begin(struct selfmon_report *report);
/* Computes the units of all rows. Returns 0 or -ENOMEM. */
int selfmon_report_units(struct selfmon_report *report,
			 const struct selfmon_gather *gather);

#endif
