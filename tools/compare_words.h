/* SPDX-License-Identifier: MIT */
/* Texts for the terminal and for markdown: values, changes, the conclusion. */
#ifndef SELFMON_TOOLS_COMPARE_WORDS_H
#define SELFMON_TOOLS_COMPARE_WORDS_H

#include "compare.h"

#define COMPARE_WORD 64

/* Writes the conclusion as one line, without a newline. */
void compare_conclude(const struct compare *compare, char *text, size_t size);

/*
 * Writes what the user can do to get a conclusion. Returns false if there is
 * nothing to advise.
 */
bool compare_advise(const struct compare *compare, char *text, size_t size);

/*
 * Returns the word for a verdict. If the primary column is time, the words for
 * a change are "slower" and "faster", otherwise "more" and "less".
 */
const char *compare_verdict_word(const struct compare *compare,
				 enum compare_verdict verdict);

/* Returns true if the interval excludes 1, by more than 0.05 %. */
bool compare_is_changed(const struct compare_cell *cell);

/*
 * Returns "parent > child", which the caller frees, or NULL if out of memory.
 */
char *compare_label(const struct compare_region *region);
const char *compare_value(const struct compare *compare, size_t column,
			  double value, char text[COMPARE_WORD]);
const char *compare_change(double ratio, char text[COMPARE_WORD]);
const char *compare_range(const struct compare_interval *ratio,
			  char text[COMPARE_WORD]);
const char *compare_p(double p, char text[COMPARE_WORD]);

#endif
