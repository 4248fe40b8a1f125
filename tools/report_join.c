/* SPDX-License-Identifier: MIT */
#include "report_join.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool holds(const char *list, const char *between, const char *text)
{
	const size_t length = strlen(text), gap = strlen(between);
	const char *at = list;

	while ((at = strstr(at, text))) {
		if ((at == list || (at >= list + gap &&
				    !strncmp(at - gap, between, gap))) &&
		    (!at[length] || !strncmp(at + length, between, gap)))
			return true;
		at++;
	}
	return false;
}

void report_join(char *to, size_t size, const char *between, const char *text)
{
	const size_t used = strlen(to);

	if (!*text || holds(to, between, text))
		return;
	if (used + strlen(between) + strlen(text) + 5 < size)
		snprintf(to + used, size - used, "%s%s", used ? between : "",
			 text);
	else if (used + 4 < size && !holds(to, "", "..."))
		strcpy(to + used, "...");
	else if (!used)
		snprintf(to, size, "%.*s...", (int)size - 5, text);
}
