/* SPDX-License-Identifier: MIT */
/* The table of units: what one visit counted. */
#ifndef SELFMON_REPORT_TEXT_UNITS_H
#define SELFMON_REPORT_TEXT_UNITS_H

#include "report/text.h"

SELFMON_COLD
void selfmon_text_units(struct selfmon_text *text);
/* Returns how many tables of the report's rows the lines of units equal. */
SELFMON_COLD
size_t selfmon_text_unit_tables(const struct selfmon_report *report,
				const struct selfmon_shown *shown);

#endif
