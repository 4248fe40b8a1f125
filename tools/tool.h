/* SPDX-License-Identifier: MIT */
/*
 * Functions for all commands of the selfmon program. Each command is a function
 * tool_...(argc, argv), which receives its name as argv[0] and returns the exit
 * status.
 */
#ifndef SELFMON_TOOLS_TOOL_H
#define SELFMON_TOOLS_TOOL_H

#include <stdbool.h>
#include <stdio.h>

/* Exit statuses: failure or the answer "no", and wrong usage. */
#define TOOL_NO 1
#define TOOL_USAGE 2

/*
 * Writes a line, escaped for a terminal: names of events, files and programs
 * may contain any bytes.
 */
void tool_line(FILE *stream, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Write `selfmon COMMAND: ...` as one line to standard error. tool_fail()
 * returns TOOL_NO. tool_misused() adds how to get help, and returns TOOL_USAGE.
 */
int tool_fail(const char *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int tool_misused(const char *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Reports a wrong option, for which getopt_long() returned '?' or ':'.
 * getopt_long() itself prints nothing, since opterr is 0. Returns TOOL_USAGE.
 */
int tool_wrong_option(const char *command, int returned, char **argv);

/*
 * Returns true if colours may be written to the file: it is a terminal, TERM is
 * set and not "dumb", and NO_COLOR is not set or empty.
 */
bool tool_has_colours(FILE *file);

/*
 * Finds the nearest word of a NULL-terminated array. Returns ` (did you mean
 * x?)`, or "".
 */
#define TOOL_HINT_SIZE 128
const char *tool_hint(const char *word, const char *const *words,
		      char hint[TOOL_HINT_SIZE]);

#endif
