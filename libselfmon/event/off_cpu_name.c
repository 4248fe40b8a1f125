/* SPDX-License-Identifier: MIT */
/* Finds "@offcpu" in a list of events. */
#include "event/off_cpu_name.h"

#include <string.h>

#define NAME "@offcpu"

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " \t");
}

bool selfmon_off_cpu_take(char *events)
{
	char *piece = events;
	bool taken = false;

	while (*piece) {
		const size_t size = strcspn(piece, ",");
		const char *const text = skip_blanks(piece);
		const bool is_last = !piece[size];

		if (strncmp(text, NAME, strlen(NAME)) ||
		    skip_blanks(text + strlen(NAME)) != piece + size) {
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
