/* SPDX-License-Identifier: MIT */
/* What all commands have to say alike: errors, hints, colours. */
#include "tool.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "event/suggest.h"
#include "progress.h"

static void complain(const char *command, const char *format, va_list values)
{
	fflush(stdout);
	progress_clear();
	fprintf(stderr, "selfmon%s%s: ", command ? " " : "",
		command ? command : "");
	vfprintf(stderr, format, values);
	fputc('\n', stderr);
}

int tool_fail(const char *command, const char *format, ...)
{
	va_list values;

	va_start(values, format);
	complain(command, format, values);
	va_end(values);
	return TOOL_NO;
}

int tool_misused(const char *command, const char *format, ...)
{
	va_list values;

	va_start(values, format);
	complain(command, format, values);
	va_end(values);
	fprintf(stderr, "See: selfmon %s%s--help\n", command ? command : "",
		command ? " " : "");
	return TOOL_USAGE;
}

/* NO_COLOR counts if it is there and not empty (no-color.org). */
bool tool_has_colours(FILE *file)
{
	const char *none = getenv("NO_COLOR");
	const char *terminal = getenv("TERM");

	return isatty(fileno(file)) && (!none || !*none) && terminal &&
	       strcmp(terminal, "dumb") != 0;
}

const char *tool_hint(const char *word, const char *const *words,
		      char hint[TOOL_HINT_SIZE])
{
	struct selfmon_words known = selfmon_words_of(words);
	char nearest[SELFMON_WORD_SIZE];

	hint[0] = '\0';
	if (selfmon_suggest(word, strlen(word), &known, nearest))
		snprintf(hint, TOOL_HINT_SIZE, " (did you mean %s?)", nearest);
	return hint;
}
