/* SPDX-License-Identifier: MIT */
/*
 * Marks whole numbers from 2^63 to 2^64 - 1: `{"": "9223372036854775808"}`.
 * Such numbers occur as labels, and as wrong addresses in call stacks of code
 * without frame pointers.
 */
#include "json_big.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"
#define DIGITS_LEAST 19 /* number of digits of 2^63 */

static bool parse(const char *digits, uint64_t *number)
{
	errno = 0;
	*number = strtoull(digits, NULL, 10);
	return !errno && *number > INT64_MAX;
}

/* Returns the length of the token at s, which is copied as a whole. */
static size_t length_of(const char *s)
{
	const char *end = s + 1;

	if (*s == '"') {
		for (; *end && *end != '"'; end++)
			end += *end == '\\' && end[1];
		return (size_t)(end - s) + (*end == '"');
	}
	/* Sign, fraction and exponent are part of the number. */
	if (strchr("+-." DIGITS, *s))
		return strspn(s, "+-.eE" DIGITS);
	return 1;
}

static bool is_big(const char *s, size_t length)
{
	uint64_t number;

	return length >= DIGITS_LEAST && *s != '"' &&
	       strspn(s, DIGITS) == length && parse(s, &number);
}

char *json_big_marked(const char *text, size_t size, size_t *marked_size)
{
	const char *const end = text + size;
	char *marked = NULL;
	FILE *const to = open_memstream(&marked, marked_size);
	size_t length;

	if (!to)
		return NULL;
	for (; text < end; text += length) {
		length = *text ? length_of(text) : 1;
		if (is_big(text, length))
			fprintf(to, "{\"\": \"%.*s\"}", (int)length, text);
		else
			fwrite(text, 1, length, to);
	}
	if (!fclose(to))
		return marked;
	free(marked);
	return NULL;
}

bool json_big_is(const json_t *value, uint64_t *number)
{
	const json_t *const digits = json_object_get(value, "");

	return json_object_size(value) == 1 && json_is_string(digits) &&
	       strspn(json_string_value(digits), DIGITS) ==
		       json_string_length(digits) &&
	       parse(json_string_value(digits), number);
}
