/* SPDX-License-Identifier: MIT */
/* Finds the word that was probably meant when a word is misspelt. */
#ifndef SELFMON_EVENT_SUGGEST_H
#define SELFMON_EVENT_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Maximum length of a word that is compared, and the size of a buffer for it.
 */
#define SELFMON_WORD_MAX 63
#define SELFMON_WORD_SIZE (SELFMON_WORD_MAX + 1)

/*
 * An iterator over the known words. next() writes the next word,
 * zero-terminated and truncated to size, or returns false after the last one.
 */
struct selfmon_words {
	bool (*next)(struct selfmon_words *words, char *word, size_t size);
	size_t index;      /* state of the iterator; starts at 0 */
	const void *known; /* what the iterator iterates over */
};

/* Returns an iterator over a NULL-terminated array of strings. */
struct selfmon_words selfmon_words_of(const char *const *array);

/*
 * Finds the known word that is nearest to a misspelt one: with the fewest
 * insertions, deletions, replacements and swaps of neighbours. At most one such
 * change for each four letters is allowed (rounded). Ignores case. If several
 * words are equally near, chooses the first in alphabetical order.
 *
 * Returns nearest, or NULL if no word is near.
 */
const char *selfmon_suggest(const char *word, size_t length,
			    struct selfmon_words *words,
			    char nearest[SELFMON_WORD_SIZE]);

#endif
