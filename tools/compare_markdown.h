/* SPDX-License-Identifier: MIT */
/*
 * Writes the comparison as GitHub markdown, for a comment on a pull request.
 * Changes come first; the rest is in a folded section. With ordinary names, the
 * text is shorter than the limit of 65,536 characters for a comment.
 */
#ifndef SELFMON_TOOLS_COMPARE_MARKDOWN_H
#define SELFMON_TOOLS_COMPARE_MARKDOWN_H

#include "compare.h"

void compare_markdown(const struct compare *compare, FILE *to);

#endif
