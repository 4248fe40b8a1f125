/* SPDX-License-Identifier: MIT */
#include "event/off_cpu_name.h"

#include <string.h>

#define NAME "@offcpu"

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " \t");
}

static bool is_name(const char *piece, size_t size)
{
	const char *const text = skip_blanks(piece);

	return !strncmp(text, NAME, strlen(NAME)) &&
	       skip_blanks(text + strlen(NAME)) == piece + size;
}

static bool has(const char *piece, size_t size, char brace)
{
	return memchr(piece, brace, size) != NULL;
}

bool selfmon_off_cpu_take(char *events)
{
	char *piece = events;
	bool taken = false, in_group = false;

	while (*piece) {
		const size_t size = strcspn(piece, ",");
		const bool is_last = !piece[size];

		if (in_group || !is_name(piece, size)) {
			in_group = (in_group || has(piece, size, '{')) &&
				   !has(piece, size, '}');
			piece += size + !is_last;
			continue;
		}
		taken = true;
		memmove(piece, piece + size + !is_last,
			strlen(piece + size + !is_last) + 1);
		if (is_last && piece > events)
			*--piece = '\0';
	}
	return taken;
}
