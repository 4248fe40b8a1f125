/* SPDX-License-Identifier: MIT */
/* The order of the columns of events. */
#ifndef SELFMON_REPORT_COLUMNS_H
#define SELFMON_REPORT_COLUMNS_H

#include "report/model.h"

/*
 * Sorts columns, and the rows' values, into the order in which the events were
 * requested. Columns are recorded in the order in which sets read their values;
 * column.place is the requested position. Has no effect if the places are no
 * permutation, as in a damaged file.
 */
void selfmon_report_columns_as_asked(struct selfmon_report *report);
/* Drops all columns except those in keep; the order stays. */
void selfmon_report_columns_keep(struct selfmon_report *report,
				 const bool keep[SELFMON_MAX_COUNTERS]);

#endif
