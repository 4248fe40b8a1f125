/* SPDX-License-Identifier: MIT */
/* The table of units: how much each visit counted. */
#ifndef SELFMON_REPORT_TEXT_UNITS_H
#define SELFMON_REPORT_TEXT_UNITS_H

#include "report/text.h"

SELFMON_COLD
void selfmon_text_units(struct selfmon_text *text);
/*
 * Returns the number of units in the table. The table has at most this many
 * lines for each row of the report.
 */
SELFMON_COLD
size_t selfmon_text_unit_tables(const struct selfmon_report *report,
				const struct selfmon_shown *shown);

#endif
