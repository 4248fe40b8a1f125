/* SPDX-License-Identifier: MIT */
/*
 * Handles runs that differ in more than the code. Runs on other machines are
 * refused, other settings are reported as warnings, and a column is compared
 * only if all runs have it.
 */
#ifndef SELFMON_TOOLS_COMPARE_ALIKE_H
#define SELFMON_TOOLS_COMPARE_ALIKE_H

#include "compare.h"

/* Returns 0, or TOOL_USAGE with a message. */
int compare_check_alike(struct compare *compare);
/* Adds a warning. */
void compare_mark(struct compare *compare, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
