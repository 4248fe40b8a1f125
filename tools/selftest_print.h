/* SPDX-License-Identifier: MIT */
/* Prints a self test as text: rows, and the conclusion. */
#ifndef SELFMON_TOOLS_SELFTEST_PRINT_H
#define SELFMON_TOOLS_SELFTEST_PRINT_H

#include "selftest.h"

/*
 * Fills in the verdict and returns the exit status: 0, TOOL_NO or
 * SELFTEST_NO_PMU.
 */
int selftest_conclude(struct selftest_result *result);
void selftest_print_head(const struct selftest_machine *machine, FILE *stream);
void selftest_print_row(const struct selftest_row *row, bool colours,
			FILE *stream);

#endif
