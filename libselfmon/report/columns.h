/* SPDX-License-Identifier: MIT */
/* The order of the columns of events. */
#ifndef SELFMON_REPORT_COLUMNS_H
#define SELFMON_REPORT_COLUMNS_H

#include "report/model.h"

/*
 * Sorts the columns, and the values of all rows, into the order in which the
 * events were requested (column.place). Before, they are in the order in which
 * the set reads them. Does nothing if the places are not a permutation, as in a
 * damaged file.
 */
void selfmon_report_columns_as_asked(struct selfmon_report *report);
/* Drops all columns i for which keep[i] is false. The others stay in order. */
void selfmon_report_columns_keep(struct selfmon_report *report,
				 const bool keep[SELFMON_MAX_COUNTERS]);

#endif
