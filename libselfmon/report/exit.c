/* SPDX-License-Identifier: MIT */
/*
 * Writes the report at exit to the outputs in SELFMON_OUTPUT. If an output
 * cannot be written, its report goes to standard error with a message, so that
 * no report is lost.
 */
#define _GNU_SOURCE
#include "report/exit.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/suggest.h"
#include "platform/cancel.h"
#include "platform/create.h"
#include "platform/escape.h"
#include "platform/kernel.h"
#include "platform/output.h"
#include "platform/path.h"
#include "report/take.h"
#include "report/view.h"
#include "report/write.h"
#include "session/end.h"
#include "session/trace_writer.h"
#include "store/config.h"
#include "store/process.h"

/*
 * Maximum length of a message: a path, a list of outputs or a note, plus a
 * sentence.
 */
#define COMPLAINT_SIZE (SELFMON_PATH_SIZE + SELFMON_OUTPUT_MAX + 512)

static const char *const format_name[] = { SELFMON_FORMAT_NAMES, NULL };
_Static_assert(sizeof(format_name) / sizeof(format_name[0]) ==
		       SELFMON_FORMATS + 1,
	       "report/write.h needs a name for each format");

/* One item of SELFMON_OUTPUT: FORMAT:PATH;OPTION;OPTION. */
struct output {
	enum selfmon_format format;
	struct selfmon_view view;
	char path[SELFMON_PATH_SIZE];  /* "-" is standard error */
	bool names_process;    /* contains %p */
};

struct outputs {
	const struct selfmon_report *report;
	/*
	 * Forked children write a report too, even if the file name has no %p.
	 */
	bool children;
	bool told;             /* the notes are already on standard error */
	bool fallen_back;
};

__attribute__((format(printf, 1, 2))) static void complain(const char *format,
							   ...)
{
	char text[COMPLAINT_SIZE], line[COMPLAINT_SIZE] = "selfmon: ";
	size_t length = strlen(line);
	const int fd = selfmon_output_error();
	va_list arguments;

	if (fd < 0)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	length += selfmon_escape(SELFMON_FOR_TEXT, line + length,
				 sizeof(line) - length - 1, text);
	line[length++] = '\n';
	selfmon_output(fd, line, length);
}

static void unknown_format(const char *item, size_t length)
{
	struct selfmon_words known = selfmon_words_of(format_name);
	const size_t word = strcspn(item, ":;,");
	char nearest[SELFMON_WORD_SIZE];
	const bool near = selfmon_suggest(item, word, &known, nearest);

	if (word == strlen("html") && !memcmp(item, "html", word)) {
		complain("SELFMON_OUTPUT=%.*s: only the program selfmon writes "
			 "html: selfmon run -o html:FILE COMMAND, or selfmon "
			 "report -f html REPORT.json",
			 (int)length, item);
		return;
	}
	complain("SELFMON_OUTPUT=%.*s: unknown format '%.*s'%s%s%s; "
		 SELFMON_FORMAT_OUTPUTS " (FILE - is standard error), none and "
		 "children=yes are allowed",
		 (int)length, item, (int)word, item,
		 near ? " (did you mean '" : "", near ? nearest : "",
		 near ? "'?)" : "");
}

static void take_view(const struct selfmon_report *report, const char *options,
		      size_t length, struct selfmon_view *view)
{
	char message[SELFMON_VIEW_MESSAGE_SIZE];
	size_t n;

	for (; length; options += n, length -= n) {
		n = 1 + strcspn(options + 1, ";,");
		if (n > 1 &&
		    selfmon_view_option(view, options + 1, n - 1, message))
			complain("SELFMON_OUTPUT: %s", message);
	}
	while (selfmon_view_check(view, report, message))
		complain("SELFMON_OUTPUT: %s", message);
}

static bool expand(struct output *output, const char *name, size_t length)
{
	return selfmon_path_expand(name, length, output->path,
				   &output->names_process);
}

static bool parse_output(const struct selfmon_report *report, const char *item,
			 size_t item_length, struct output *output)
{
	const char *const options = memchr(item, ';', item_length);
	const size_t length = options ? (size_t)(options - item) : item_length;
	const char *const colon = memchr(item, ':', length);
	const size_t word = colon ? (size_t)(colon - item) : length;
	int i;

	memset(output, 0, sizeof(*output));
	for (i = 0; format_name[i]; i++)
		if (strlen(format_name[i]) == word &&
		    !memcmp(item, format_name[i], word))
			break;
	if (!format_name[i]) {
		unknown_format(item, length);
		return false;
	}
	output->format = (enum selfmon_format)i;
	if (options)
		take_view(report, options, item_length - length,
			  &output->view);
	if (!colon || word + 1 == length)
		return expand(output, "-", 1);
	if (expand(output, colon + 1, length - word - 1))
		return true;
	complain("SELFMON_OUTPUT=%.64s...: longer than %d bytes", item,
		 SELFMON_PATH_SIZE);
	return false;
}

/* Formats the whole report in memory, for one write. Returns 0 or -errno. */
static int format_text(const struct outputs *outputs,
		       enum selfmon_format format,
		       const struct selfmon_view *view, char **text,
		       size_t *size)
{
	FILE *memory;
	int error = -ENOMEM;

	*text = NULL;
	*size = 0;
	memory = open_memstream(text, size);
	if (memory) {
		error = selfmon_report_write_view(outputs->report, format, view,
						  memory);
		if (fclose(memory) && !error)
			error = -ENOMEM;
	}
	return error;
}

static int write_file(const struct outputs *outputs,
		      const struct output *output)
{
	char *text;
	size_t size;
	int error = format_text(outputs, output->format, &output->view,
				&text, &size);

	if (!error)
		error = selfmon_create_write(output->path, text, size);
	free(text);
	return error;
}

/* Errors are ignored: there is no other place to report them. */
static void write_error(const struct outputs *outputs,
			enum selfmon_format format,
			const struct selfmon_view *view)
{
	const int fd = selfmon_output_error();
	char *text;
	size_t size;

	if (fd < 0)
		return;
	if (!format_text(outputs, format, view, &text, &size))
		selfmon_output(fd, text, size);
	free(text);
}

/*
 * Prints the report as text to standard error, only once even if several
 * outputs failed.
 */
static void fall_back(struct outputs *outputs, const struct selfmon_view *view)
{
	if (outputs->fallen_back)
		return;
	outputs->fallen_back = true;
	outputs->told = true;
	write_error(outputs, SELFMON_TEXT, view);
}

static const char *why_not_written(int error)
{
	if (error == -ELOOP)
		return "symbolic links are not followed";
	if (error == -EPERM && selfmon_kernel_is_secure())
		return "the program has more privileges than its caller";
	return strerror(-error);
}

static void put_out(struct outputs *outputs, const struct output *output)
{
	int error;

	if (!strcmp(output->path, "-")) {
		write_error(outputs, output->format, &output->view);
		/*
		 * Reports in text and JSON contain the notes and reasons, so
		 * they are not printed again: messages would break the syntax
		 * of JSON. Other formats do not contain them.
		 */
		outputs->told |= output->format == SELFMON_TEXT ||
				 output->format == SELFMON_JSON;
		return;
	}
	error = write_file(outputs, output);
	if (!error)
		return;
	complain("cannot write the report to '%s': %s; it is printed here "
		 "instead",
		 output->path, why_not_written(error));
	fall_back(outputs, &output->view);
}

static bool is_word(const char *item, size_t length, const char *word)
{
	return length == strlen(word) && !memcmp(item, word, length);
}

/*
 * Returns true for the output "none". Also checks its options: "none;threads"
 * is allowed, because "threads" affects the live file, too.
 */
static bool is_none(const struct outputs *outputs, const char *item,
		    size_t length)
{
	const size_t word = strcspn(item, ";,");
	struct selfmon_view unused = { .flat = false };

	if (!is_word(item, word, "none"))
		return false;
	take_view(outputs->report, item + word, length - word, &unused);
	return true;
}

/*
 * Forked children write a report only if requested, by %p in the path or by
 * children=yes: otherwise a server with forked workers would print a table for
 * each.
 */
static void handle(struct outputs *outputs, const char *item, size_t length)
{
	const bool silent = outputs->report->forked && !outputs->children;
	struct output output;

	if (is_none(outputs, item, length) ||
	    is_word(item, length, "children=yes") ||
	    is_word(item, length, "children=no") || length == 0)
		return;
	if (!parse_output(outputs->report, item, length, &output)) {
		if (!silent)
			fall_back(outputs, &output.view);
		return;
	}
	if (!silent || output.names_process)
		put_out(outputs, &output);
}

static void for_each_item(struct outputs *outputs, const char *list)
{
	size_t length;

	outputs->children = strstr(list, "children=yes") != NULL;
	for (;; list += length + 1) {
		length = strcspn(list, ",");
		handle(outputs, list, length);
		if (!list[length])
			return;
	}
}

static void print_notes(const struct selfmon_report *report)
{
	size_t i;

	for (i = 0; i < report->notes; i++)
		complain("%s", report->note[i]);
	if (report->choice == SELFMON_CHOICE_FAILED)
		complain("only time is measured, not '%s': %s",
			 report->events, report->events_reason);
}

void selfmon_report_exit(void)
{
	const char *const list = selfmon_config()->output;
	struct outputs outputs = { .children = false };
	struct selfmon_report *report;

	if (!*list || !strcmp(list, "none") || !selfmon_process_visited())
		return;
	if (selfmon_config()->threads ? selfmon_report_take_apart(&report)
				      : selfmon_report_take(&report)) {
		complain("no memory for the report");
		return;
	}
	outputs.report = report;
	if (report->rows || report->async) {
		/*
		 * Flushes the program's own output first: otherwise exit(3)
		 * would write it after the report.
		 */
		fflush(stdout);
		fflush(stderr);
		for_each_item(&outputs, list);
		if (!outputs.told && !report->forked)
			print_notes(report);
	}
	selfmon_report_free(report);
}

/*
 * Destructors with a lower priority number run later. 101 is the lowest number
 * that is not reserved for the compiler. So this destructor runs after all
 * atexit(3) handlers and other destructors of the program or shared library
 * that contains it, and their regions are in the report.
 */
__attribute__((destructor(101))) static void at_end(void)
{
	struct selfmon_cancel cancel;

	/*
	 * Writing is a cancellation point: a pending cancellation would end the
	 * thread before the report is complete.
	 */
	selfmon_cancel_off(&cancel);
	selfmon_trace_end();
	selfmon_report_exit();
	selfmon_unload();
	selfmon_cancel_restore(&cancel);
}
