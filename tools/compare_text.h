/* SPDX-License-Identifier: MIT */
/* Writes the comparison for a terminal, at most 100 columns wide. */
#ifndef SELFMON_TOOLS_COMPARE_TEXT_H
#define SELFMON_TOOLS_COMPARE_TEXT_H

#include "compare.h"

void compare_text(const struct compare *compare, FILE *to);

#endif
