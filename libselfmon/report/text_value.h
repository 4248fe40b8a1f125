/* SPDX-License-Identifier: MIT */
/* A number of a text report with its marks. */
#ifndef SELFMON_REPORT_TEXT_VALUE_H
#define SELFMON_REPORT_TEXT_VALUE_H

#include "report/text.h"

/* Returns the marks for the value of a column, or of time if column is -1. */
unsigned int selfmon_value_marks(struct selfmon_text *text,
				 const struct selfmon_row *row, int column);
/* Returns the net value, at least 0, or NaN if there is no value. */
double selfmon_value_net(const struct selfmon_quantity *quantity);

#endif
