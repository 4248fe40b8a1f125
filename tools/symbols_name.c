/* SPDX-License-Identifier: MIT */
#include "symbols_name.h"

#include <stdbool.h>
#include <string.h>

const char *symbols_short_name(const char *path)
{
	const char *const slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

#define UNIT_MOST 24

/*
 * Returns the length of a part that must not be split: for example, the < in
 * operator<< is part of the name.
 */
static size_t unit_length(const char *s)
{
	static const char anonymous[] = "(anonymous namespace)";
	static const char operator[] = "operator";
	const size_t length = sizeof(operator) - 1;
	size_t signs;

	if (!strncmp(s, anonymous, sizeof(anonymous) - 1))
		return sizeof(anonymous) - 1;
	if (strncmp(s, operator, length) != 0)
		return 1;
	if (!strncmp(s + length, "()", 2))
		return length + 2;
	signs = strspn(s + length, "<>=-");
	return length + (signs < 3 ? signs : 3);
}

void symbols_compact(const char *name, char *to, size_t size)
{
	const bool is_plain = *name == '<'; /* Rust: <type as trait>::name */
	size_t depth = 0, used = 0;

	while (*name && used + UNIT_MOST < size) {
		const size_t n = unit_length(name);
		const bool opens = n == 1 && strchr("<(", *name) && !is_plain;
		const bool closes = n == 1 && strchr(">)", *name) && !is_plain;

		if (opens && *name == '(' && !depth && used)
			break; /* the parameters */
		depth -= closes && depth;
		if (!depth) {
			memcpy(to + used, name, n);
			used += n;
		}
		depth += opens;
		name += n;
	}
	to[used] = '\0';
}
