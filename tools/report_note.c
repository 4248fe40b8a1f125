/* SPDX-License-Identifier: MIT */
#include "report_note.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void report_note(struct selfmon_report *to, const char *format, ...)
{
	static const char more[] = "not all messages are shown";
	char text[SELFMON_MESSAGE_SIZE];
	va_list values;
	size_t i;

	va_start(values, format);
	vsnprintf(text, sizeof(text), format, values);
	va_end(values);
	for (i = 0; i < to->notes; i++)
		if (!strcmp(to->note[i], text))
			return;
	if (to->notes == SELFMON_NOTES_MAX)
		strcpy(to->note[to->notes - 1], more);
	else
		strcpy(to->note[to->notes++], text);
}
