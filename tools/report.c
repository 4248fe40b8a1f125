/* SPDX-License-Identifier: MIT */
/* selfmon report: files of reports, each or merged, in any format. */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include <selfmon.h>

#include "progress.h"
#include "report_file.h"
#include "tool.h"

static const char help[] =
	"usage: selfmon report [OPTION...] FILE...\n"
	"Prints the report of each file: live files (SELFMON_LIVE=FILE), of "
	"processes that\n"
	"have ended in whatever way, or still run, and reports in JSON\n"
	"(SELFMON_OUTPUT=json:FILE).\n"
	"\n"
	"  -f, --format FORMAT  text (default), json or csv\n"
	"  -m, --merge          one report of all files: regions of one path "
	"are one row\n"
	"\n"
	"Exits with 0; 1: some file cannot be read, and the others are "
	"printed, or they\n"
	"cannot be merged, and nothing is; 2: the options are wrong.\n";

static const char *const format_name[] = {
	[SELFMON_TEXT] = "text",
	[SELFMON_JSON] = "json",
	[SELFMON_CSV] = "csv",
	NULL,
};

static const struct option options[] = {
	{ "format", required_argument, NULL, 'f' },
	{ "merge", no_argument, NULL, 'm' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int take_format(const char *name, enum selfmon_format *format)
{
	char hint[TOOL_HINT_SIZE];
	int i;

	for (i = 0; format_name[i]; i++) {
		if (strcmp(format_name[i], name))
			continue;
		*format = (enum selfmon_format)i;
		return 0;
	}
	return tool_misused("report", "unknown format '%s'%s: text, json or "
			    "csv are allowed", name,
			    tool_hint(name, format_name, hint));
}

static int write_report(const struct selfmon_report *report, const char *path,
			enum selfmon_format format)
{
	if (selfmon_report_write(report, format, stdout))
		return tool_fail("report", "%s: the output failed", path);
	return 0;
}

/* NULL: no memory. */
static char *csv_of(const struct selfmon_report *report)
{
	char *text = NULL;
	size_t size;
	FILE *const memory = open_memstream(&text, &size);
	int error;

	if (!memory)
		return NULL;
	error = selfmon_report_write(report, SELFMON_CSV, memory);
	if (!fclose(memory) && !error)
		return text;
	free(text);
	return NULL;
}

/*
 * Without the header line where it is that of the report before: of processes
 * that counted the same there is one table. It is kept in header.
 */
static int write_csv(const struct selfmon_report *report, const char *path,
		     char **header)
{
	char *const text = csv_of(report);
	const char *from = text;
	size_t n;

	if (!text)
		return tool_fail("report", "%s: no memory", path);
	n = strcspn(text, "\n") + 1;
	if (*header && !strncmp(*header, text, n)) {
		from += n;
	} else {
		free(*header);
		*header = strndup(text, n);
	}
	fputs(from, stdout);
	free(text);
	if (ferror(stdout))
		return tool_fail("report", "%s: the output failed", path);
	return 0;
}

/* The next of so many. */
static int open_one(struct report_file *file, char **paths, size_t i,
		    size_t count)
{
	int status;

	progress_begin("reading reports", count);
	progress_at(i);
	status = report_file_open(file, paths[i]);
	progress_end();
	return status;
}

static int print_each(char **paths, size_t count, enum selfmon_format format)
{
	struct report_file file;
	char *header = NULL;
	int status = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		if (i && format == SELFMON_TEXT)
			putchar('\n');
		if (open_one(&file, paths, i, count) ||
		    (format == SELFMON_CSV
			     ? write_csv(file.report, paths[i], &header)
			     : write_report(file.report, paths[i], format)))
			status = TOOL_NO;
		report_file_close(&file);
	}
	free(header);
	return status;
}

/* All or none: a sum without one of them would pass for that of all. */
static int print_merged(char **paths, size_t count, enum selfmon_format format)
{
	struct report_file *const files = calloc(count, sizeof(*files));
	struct selfmon_report *merged = NULL;
	int status = 0;
	size_t i;

	if (!files)
		return tool_fail("report", "no memory");
	progress_begin("reading reports", count);
	for (i = 0; i < count; i++) {
		progress_at(i);
		if (report_file_open(&files[i], paths[i]))
			status = TOOL_NO;
	}
	progress_end();
	progress_begin("merging reports", count);
	if (!status)
		status = report_merge(files, count, &merged);
	progress_end();
	if (!status)
		status = write_report(merged, "merged", format);
	selfmon_report_free(merged);
	for (i = 0; i < count; i++)
		report_file_close(&files[i]);
	free(files);
	return status;
}

int tool_report(int argc, char **argv)
{
	enum selfmon_format format = SELFMON_TEXT;
	bool merge = false;
	int option, status = 0;

	while ((option = getopt_long(argc, argv, "f:mh", options, NULL)) !=
	       -1) {
		if (option == 'h') {
			fputs(help, stdout);
			return 0;
		}
		if (option == '?')
			return tool_misused("report", "the options are wrong");
		if (option == 'm')
			merge = true;
		else
			status = take_format(optarg, &format);
		if (status)
			return status;
	}
	if (optind == argc)
		return tool_misused("report", "a file is missing");
	return (merge ? print_merged : print_each)(
		argv + optind, (size_t)(argc - optind), format);
}
