/* SPDX-License-Identifier: MIT */
/* A number of a text report, and its marks. */
#ifndef SELFMON_REPORT_TEXT_VALUE_H
#define SELFMON_REPORT_TEXT_VALUE_H

#include "report/text.h"

/* Returns the marks of a value; column -1 is time. */
unsigned int selfmon_value_marks(struct selfmon_text *text,
				 const struct selfmon_row *row, int column);
/* Returns the net value, at least 0; NaN if there is none. */
double selfmon_value_net(const struct selfmon_quantity *quantity);

#endif
