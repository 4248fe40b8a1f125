/* SPDX-License-Identifier: MIT */
/* A number of a text report with its marks. */
#ifndef SELFMON_REPORT_TEXT_VALUE_H
#define SELFMON_REPORT_TEXT_VALUE_H

#include "report/text.h"

/*
 * Returns the bits of enum selfmon_mark (text.h), such as ~ and ?, that show
 * how reliable the inclusive net value of a column is. Column -1 is time.
 */
unsigned int selfmon_value_marks(struct selfmon_text *text,
				 const struct selfmon_row *row, int column);
/* Returns the net value, at least 0, or NaN if there is no value. */
double selfmon_value_net(const struct selfmon_quantity *quantity);

#endif
