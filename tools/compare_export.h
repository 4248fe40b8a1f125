/* SPDX-License-Identifier: MIT */
/*
 * Writes the comparison as JSON, and in Bencher's metric format (bencher.dev).
 */
#ifndef SELFMON_TOOLS_COMPARE_EXPORT_H
#define SELFMON_TOOLS_COMPARE_EXPORT_H

#include "compare.h"

void compare_json(const struct compare *compare, FILE *to);
void compare_bencher(const struct compare *compare, FILE *to);

#endif
