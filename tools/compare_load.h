/* SPDX-License-Identifier: MIT */
/*
 * Loads the runs and matches their rows. Two rows are the same region if all
 * names from the top of the tree are equal. Line numbers change with the code,
 * so they are only used to sort regions that have the same name and parent.
 */
#ifndef SELFMON_TOOLS_COMPARE_LOAD_H
#define SELFMON_TOOLS_COMPARE_LOAD_H

#include "compare.h"

/*
 * Opens all files, checks them, and stores their rows by region. Returns 0, or
 * TOOL_USAGE with a message on standard error.
 */
int compare_load(struct compare *compare, char **paths);
void compare_free(struct compare *compare);

/* Returns the run of a side with the median total time. */
const struct selfmon_report *compare_typical(const struct compare *compare,
					     size_t side);

#endif
