/* SPDX-License-Identifier: MIT */
/*
 * Writes the comparison for a pull request in GitHub's markdown. Changes come
 * first, the rest is folded. The result stays below the limit of 65,536
 * characters for a comment.
 */
#ifndef SELFMON_TOOLS_COMPARE_MARKDOWN_H
#define SELFMON_TOOLS_COMPARE_MARKDOWN_H

#include "compare.h"

void compare_markdown(const struct compare *compare, FILE *to);

#endif
