/* SPDX-License-Identifier: MIT */
/* Text of a known width. */
#ifndef SELFMON_REPORT_TEXT_CELL_H
#define SELFMON_REPORT_TEXT_CELL_H

#include "report/text.h"

/*
 * Appends a string, escaped. If it does not fit into `columns`, replaces its
 * middle by an ellipsis.
 */
void selfmon_cell_add(struct selfmon_cell *cell, const char *s,
		      unsigned int columns);

#endif
