/* SPDX-License-Identifier: MIT */
/*
 * Writes the comparison for a terminal. Lines have at most 100 columns, unless
 * they contain a long column name or very large changes.
 */
#ifndef SELFMON_TOOLS_COMPARE_TEXT_H
#define SELFMON_TOOLS_COMPARE_TEXT_H

#include "compare.h"

void compare_text(const struct compare *compare, FILE *to);

#endif
