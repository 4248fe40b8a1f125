/* SPDX-License-Identifier: MIT */
/*
 * Functions that all commands of the selfmon program share. A command,
 * tool_...(argc, argv), receives its own name as argv[0] and returns the exit
 * status.
 */
#ifndef SELFMON_TOOLS_TOOL_H
#define SELFMON_TOOLS_TOOL_H

#include <stdbool.h>
#include <stdio.h>

/* Exit statuses: the answer is no; wrong usage. */
#define TOOL_NO 1
#define TOOL_USAGE 2

/*
 * Writes a line, escaped for a terminal: names of events, files and programs
 * may contain any bytes.
 */
void tool_line(FILE *stream, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Write `selfmon COMMAND: ...` as a line on standard error; the second adds how
 * to get help. Return TOOL_NO, the second TOOL_USAGE.
 */
int tool_fail(const char *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int tool_misused(const char *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Reports a wrong option for which getopt_long() returned '?' or ':' and
 * printed nothing, since opterr is 0. Returns TOOL_USAGE.
 */
int tool_wrong_option(const char *command, int returned, char **argv);

/*
 * Returns true if the file may be written in colours: a terminal, and NO_COLOR
 * is not set.
 */
bool tool_has_colours(FILE *file);

/*
 * Returns the nearest of a NULL-terminated array of words as ` (did you mean
 * x?)`, or "".
 */
#define TOOL_HINT_SIZE 128
const char *tool_hint(const char *word, const char *const *words,
		      char hint[TOOL_HINT_SIZE]);

#endif
