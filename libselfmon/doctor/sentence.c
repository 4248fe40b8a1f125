/* SPDX-License-Identifier: MIT */
#include "doctor/sentence.h"

#include <stdarg.h>
#include <stdio.h>

#include "platform/escape.h"

void selfmon_sentence_add(struct selfmon_sentence *sentence, const char *format,
			  ...)
{
	const size_t room = sizeof(sentence->text) - sentence->length;
	char text[SELFMON_SENTENCE_SIZE];
	va_list values;

	va_start(values, format);
	vsnprintf(text, sizeof(text), format, values);
	va_end(values);
	sentence->length += selfmon_escape(SELFMON_FOR_TEXT,
					   sentence->text + sentence->length,
					   room, text);
}

void selfmon_sentence_other(struct selfmon_sentence *sentence)
{
	if (!sentence->other)
		sentence->other = sentence->length;
}
