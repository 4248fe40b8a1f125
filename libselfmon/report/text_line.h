/* SPDX-License-Identifier: MIT */
/* Writes paragraphs that wrap, and aligned cells. */
#ifndef SELFMON_REPORT_TEXT_LINE_H
#define SELFMON_REPORT_TEXT_LINE_H

#include "report/text.h"

void selfmon_text_begin(struct selfmon_text *text, const char *label,
			unsigned int indent);
void selfmon_text_say(struct selfmon_text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Writes a number and its unit, which stay in one line. */
void selfmon_text_say_number(struct selfmon_text *text, const char *number);
void selfmon_text_end(struct selfmon_text *text);
void selfmon_text_right(struct selfmon_text *text, const char *ascii,
			unsigned int columns);
void selfmon_text_left(struct selfmon_text *text,
		       const struct selfmon_cell *cell, unsigned int columns);
void selfmon_text_marks(struct selfmon_text *text, unsigned int marks,
			unsigned int columns);
void selfmon_text_row_end(struct selfmon_text *text);

#endif
