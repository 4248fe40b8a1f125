/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "variables.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static char **border; /* the end of the visible variables, or NULL */
static char *hidden;  /* the variable that was at border */

static bool begins_with(const char *entry, const char *prefix)
{
	return !strncmp(entry, prefix, strlen(prefix));
}

/*
 * Constructors with a priority run before the library's, which have none. The
 * variables are moved to the end, and the array is cut before them.
 */
__attribute__((constructor(101))) static void hide_variables(void)
{
	char **visible = environ;
	char **entry;

	for (entry = environ; entry && *entry; entry++)
		if (!begins_with(*entry, "SELFMON_")) {
			char *const moved = *entry;

			*entry = *visible;
			*visible++ = moved;
		}
	if (visible == entry)
		return;
	border = visible;
	hidden = *visible;
	*visible = NULL;
}

void tool_variables_restore(void)
{
	if (border)
		*border = hidden;
	border = NULL;
}

void tool_variables_forget(void)
{
	char **kept = environ;
	char **entry;

	if (!environ)
		return;
	for (entry = environ; *entry; entry++)
		if (!begins_with(*entry, "SELFMON_") ||
		    begins_with(*entry, "SELFMON_GUARD="))
			*kept++ = *entry;
	*kept = NULL;
}
