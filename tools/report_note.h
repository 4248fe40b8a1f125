/* SPDX-License-Identifier: MIT */
/* The notes of a merged report. */
#ifndef SELFMON_TOOLS_REPORT_NOTE_H
#define SELFMON_TOOLS_REPORT_NOTE_H

#include "report_file.h"

/*
 * Adds a note, unless the report has it already. If the list is full, replaces
 * the last note by "not all messages are shown".
 */
void report_note(struct selfmon_report *to, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
