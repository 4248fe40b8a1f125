/* SPDX-License-Identifier: MIT */
/*
 * Checks that the runs differ only in the code. Runs on different machines are
 * refused unless --force is given. Reports with a row for each thread are
 * refused. Different settings cause a warning. A column is compared only if all
 * runs have it.
 */
#ifndef SELFMON_TOOLS_COMPARE_ALIKE_H
#define SELFMON_TOOLS_COMPARE_ALIKE_H

#include "compare.h"

/* Checks the runs. Returns 0, or TOOL_USAGE with a message. */
int compare_check_alike(struct compare *compare);
/* Adds a warning, unless it exists already or the list is full. */
void compare_mark(struct compare *compare, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
