/* SPDX-License-Identifier: MIT */
/* Finds the nearest word by the restricted Damerau-Levenshtein distance. */
#include "event/suggest.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static bool next_of_array(struct selfmon_words *words, char *word, size_t size)
{
	const char *const *array = words->known;

	if (!array[words->index])
		return false;
	snprintf(word, size, "%s", array[words->index]);
	words->index++;
	return true;
}

struct selfmon_words selfmon_words_of(const char *const *array)
{
	const struct selfmon_words words = {
		.next = next_of_array,
		.known = array,
	};

	return words;
}

/* Not tolower(), which depends on the program's locale. */
static char lower(char byte)
{
	return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

static bool same(char a, char b)
{
	return lower(a) == lower(b);
}

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/*
 * Fills in one row of the table of distances: row[j] is the distance from the
 * first i bytes of a to the first j bytes of b. before is the previous row, and
 * before2 the one before that.
 */
static void fill_row(const char *a, size_t i, const char *b, size_t length,
		     const uint8_t *before2, const uint8_t *before,
		     uint8_t *row)
{
	size_t j;

	row[0] = (uint8_t)i;
	for (j = 1; j <= length; j++) {
		const bool equal = same(a[i - 1], b[j - 1]);
		unsigned int cost = before[j - 1] + (equal ? 0u : 1u);

		cost = least(cost, before[j] + 1u);
		cost = least(cost, row[j - 1] + 1u);
		if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) &&
		    same(a[i - 2], b[j - 1]))
			cost = least(cost, before2[j - 2] + 1u);
		row[j] = (uint8_t)cost;
	}
}

static unsigned int distance(const char *a, size_t a_length, const char *b,
			     size_t b_length)
{
	uint8_t rows[3][SELFMON_WORD_SIZE] = {{0}};
	size_t i;

	for (i = 0; i <= b_length; i++)
		rows[0][i] = (uint8_t)i;
	for (i = 1; i <= a_length; i++)
		fill_row(a, i, b, b_length, rows[(i + 1) % 3],
			 rows[(i - 1) % 3], rows[i % 3]);
	return rows[a_length % 3][b_length];
}

const char *selfmon_suggest(const char *word, size_t length,
			    struct selfmon_words *words,
			    char nearest[SELFMON_WORD_SIZE])
{
	unsigned int best = (unsigned int)(length + 2) / 4;
	char known[SELFMON_WORD_SIZE];
	bool found = false;

	if (length == 0 || length > SELFMON_WORD_MAX)
		return NULL;
	while (words->next(words, known, sizeof(known))) {
		const unsigned int far =
			distance(word, length, known, strlen(known));

		if (far > best || (found && far == best &&
				   strcmp(known, nearest) >= 0))
			continue;
		memcpy(nearest, known, sizeof(known));
		best = far;
		found = true;
	}
	return found ? nearest : NULL;
}
