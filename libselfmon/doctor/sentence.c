/* SPDX-License-Identifier: MIT */
/* Text of a bounded length, put together piece by piece. */
#include "doctor/sentence.h"

#include <stdarg.h>
#include <stdio.h>

void selfmon_sentence_add(struct selfmon_sentence *sentence, const char *format,
			  ...)
{
	const size_t room = sizeof(sentence->text) - sentence->length;
	va_list values;
	int n;

	va_start(values, format);
	n = vsnprintf(sentence->text + sentence->length, room, format, values);
	va_end(values);
	if (n > 0)
		sentence->length += (size_t)n < room ? (size_t)n : room - 1;
}
