/* SPDX-License-Identifier: MIT */
/* selfmon report: live files, as text or for programs. */
#define _GNU_SOURCE
#include <getopt.h>
#include <string.h>

#include <selfmon.h>

#include "tool.h"

static const char help[] =
	"usage: selfmon report [OPTION...] FILE...\n"
	"Prints the report of each live file (SELFMON_LIVE=FILE), of processes "
	"that have\n"
	"ended in whatever way, or still run.\n"
	"\n"
	"  -f, --format FORMAT  text (default), json or csv\n"
	"\n"
	"Exits with 0; 1: some file cannot be read, and the others are "
	"printed;\n"
	"2: the options are wrong.\n";

static const char *const format_name[] = {
	[SELFMON_TEXT] = "text",
	[SELFMON_JSON] = "json",
	[SELFMON_CSV] = "csv",
	NULL,
};

static const struct option options[] = {
	{ "format", required_argument, NULL, 'f' },
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
	return tool_misused("report", "unknown format '%s'%s", name,
			    tool_hint(name, format_name, hint));
}

static int print(const char *path, enum selfmon_format format)
{
	struct selfmon_failure failure;
	struct selfmon_report *report;
	int error = selfmon_report_open(path, &report, &failure);

	if (error)
		return tool_fail("report", "%s", failure.message);
	error = selfmon_report_write(report, format, stdout);
	selfmon_report_free(report);
	return error ? tool_fail("report", "%s: the output failed", path) : 0;
}

int tool_report(int argc, char **argv)
{
	enum selfmon_format format = SELFMON_TEXT;
	int option, status = 0, i;

	while ((option = getopt_long(argc, argv, "f:h", options, NULL)) != -1) {
		if (option == 'h') {
			fputs(help, stdout);
			return 0;
		}
		if (option != 'f')
			return tool_misused("report", "the options are wrong");
		status = take_format(optarg, &format);
		if (status)
			return status;
	}
	if (optind == argc)
		return tool_misused("report", "a file is missing");
	for (i = optind; i < argc; i++) {
		if (i > optind && format == SELFMON_TEXT)
			putchar('\n');
		if (print(argv[i], format))
			status = TOOL_NO;
	}
	return status;
}
