/* SPDX-License-Identifier: MIT */
/* Lists of texts, for the header of a merged report. */
#ifndef SELFMON_TOOLS_REPORT_JOIN_H
#define SELFMON_TOOLS_REPORT_JOIN_H

#include <stddef.h>

/*
 * Adds a text to a list, unless the list contains it already. `between`
 * separates the texts. If there is no room, adds "..." instead.
 */
void report_join(char *to, size_t size, const char *between, const char *text);
#define REPORT_JOIN(to, between, text) \
	report_join(to, sizeof(to), between, text)

#endif
