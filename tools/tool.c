/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "tool.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "event/suggest.h"
#include "platform/escape.h"
#include "progress.h"

static void put_line(FILE *stream, const char *format, va_list values)
{
	char *text = NULL;

	if (vasprintf(&text, format, values) < 0) {
		fputs("no memory\n", stream);
		return;
	}
	selfmon_output_text(stream, text);
	putc('\n', stream);
	free(text);
}

void tool_line(FILE *stream, const char *format, ...)
{
	va_list values;

	va_start(values, format);
	put_line(stream, format, values);
	va_end(values);
}

static void complain(const char *command, const char *format, va_list values)
{
	fflush(stdout);
	progress_clear();
	fprintf(stderr, "selfmon%s%s: ", command ? " " : "",
		command ? command : "");
	put_line(stderr, format, values);
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

/* optopt is 0 if a long option is unknown or ambiguous. */
int tool_wrong_option(const char *command, int returned, char **argv)
{
	const char *const last = argv[optind - 1];

	if (returned == ':')
		return tool_misused(command, "%s: its value is missing", last);
	if (optopt && !strchr(last, '='))
		return tool_misused(command, "-%c: no such option", optopt);
	return tool_misused(command, "%s: no such option, or it takes no value",
			    last);
}

/* NO_COLOR has an effect if it is set and not empty (no-color.org). */
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
