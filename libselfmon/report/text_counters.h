/* SPDX-License-Identifier: MIT */
/* The tables of counters and metrics of a text report. */
#ifndef SELFMON_REPORT_TEXT_COUNTERS_H
#define SELFMON_REPORT_TEXT_COUNTERS_H

#include "report/text.h"

SELFMON_COLD
void selfmon_text_counters(struct selfmon_text *text);
/*
 * Returns how many tables of counters and metrics the text of this report has
 * at most: with labels of the maximum width, and counting empty tables.
 */
size_t selfmon_text_counter_tables(const struct selfmon_report *report,
				   const struct selfmon_shown *shown);

#endif
