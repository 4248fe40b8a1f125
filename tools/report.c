/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "report.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include <selfmon.h>

#include "html.h"
#include "progress.h"
#include "report_check.h"
#include "report_merge.h"
#include "report_write.h"
#include "symbols.h"
#include "tool.h"

static const char help[] =
	"usage: selfmon report [OPTION...] FILE...\n"
	"Prints the report of each file. A file is a live file "
	"(SELFMON_LIVE=FILE) of a\n"
	"process that still runs or has ended in any way, or a report in "
	"JSON\n"
	"(SELFMON_OUTPUT=json:FILE).\n"
	"\n"
	"  -f, --format FORMAT  " SELFMON_FORMAT_LIST ", html, folded or pprof; "
	"default: text\n"
	"      --by COLUMN      for folded stacks: time (default), visits, a "
	"counter, or samples\n"
	"  -m, --merge          prints one report of all files; regions with "
	"the same path\n"
	"                       become one row\n"
	"      --histogram REGION\n"
	"                       prints the distribution of the times of a "
	"region's visits;\n"
	"                       REGION is a name or the end of a path, such "
	"as round/sort\n"
	"      --samples        prints the functions of each region with the "
	"most samples\n"
	"                       (SELFMON_SAMPLE); --top N: N functions a "
	"region; default: 5\n"
	"      --debuginfod     also looks up symbols on the servers in "
	"DEBUGINFOD_URLS\n"
	"  -o, --output FILE    writes to FILE\n"
	"\n"
	"html: one page that needs no network; two files are compared. "
	"folded: for\n"
	"flamegraph.pl, inferno and speedscope. pprof: samples as "
	"profile.proto, with\n"
	"regions as labels.\n"
	"\n"
	"Rows and columns of " SELFMON_FORMAT_LIST ":\n"
	"      --flat           one row for each name, by self time; nested "
	"visits of one\n"
	"                       name are counted once\n"
	"      --collapse       merges nested regions of one name, in the "
	"tree\n"
	"      --threads        a row for each thread, with its regions "
	"below; needs a live\n"
	"                       file, or JSON written with "
	"json:FILE;threads\n"
	"      --depth N        N levels of the tree\n"
	"      --min-share P    regions below P percent become one row, "
	"\"others (N)\"\n"
	"      --sort COLUMN    sorts by descending values, or by name\n"
	"      --top N          N rows, the other rows become \"others\"; 0: "
	"all; default of\n"
	"                       text: 60\n"
	"      --columns A+B    only columns A and B\n"
	"      --find REGEX     only regions that match, and the regions "
	"around them\n"
	"\n"
	"Exit status: 0: everything was printed; 1: a file cannot be read or "
	"has no such\n"
	"region (the other files are printed), or files cannot be merged "
	"(nothing is\n"
	"printed); 2: the options are wrong.\n";

static const struct option options[] = {
	{ "format", required_argument, NULL, 'f' },
	{ "by", required_argument, NULL, 'b' },
	{ "histogram", required_argument, NULL, 'H' },
	{ "merge", no_argument, NULL, 'm' },
	{ "samples", no_argument, NULL, 's' },
	{ "debuginfod", no_argument, NULL, 'd' },
	{ "output", required_argument, NULL, 'o' },
	{ "flat", no_argument, NULL, 'v' },
	{ "collapse", no_argument, NULL, 'v' },
	{ "threads", no_argument, NULL, 'v' },
	{ "depth", required_argument, NULL, 'v' },
	{ "min-share", required_argument, NULL, 'v' },
	{ "sort", required_argument, NULL, 'v' },
	{ "top", required_argument, NULL, 'v' },
	{ "columns", required_argument, NULL, 'v' },
	{ "find", required_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int open_one(struct report_file *file, char **paths, size_t i,
		    size_t count, bool threads)
{
	int status;

	progress_begin("reading reports", count);
	progress_at(i);
	status = report_file_open(file, paths[i], threads);
	progress_end();
	return status;
}

static int print_each(char **paths, size_t count,
		      const struct report_request *request)
{
	struct report_file file;
	char *header = NULL;
	int status = 0;
	size_t i;

	for (i = 0; i < count && status != TOOL_USAGE; i++) {
		if (i && request->format == SELFMON_TEXT)
			putchar('\n');
		if (open_one(&file, paths, i, count, request->view.threads) ||
		    report_check_view(file.report, paths[i], request))
			status = TOOL_NO;
		else
			status |= report_write(file.report, paths[i], request,
					       &header);
		report_file_close(&file);
	}
	free(header);
	return status;
}

static int print_both(char **paths)
{
	struct report_file file[2];
	int status = open_one(&file[0], paths, 0, 2, false);

	status |= open_one(&file[1], paths, 1, 2, false);
	if (!status && (html_write(file[0].report, file[1].report, NULL,
				   stdout) || ferror(stdout)))
		status = tool_fail("report", "the output failed");
	report_file_close(&file[0]);
	report_file_close(&file[1]);
	return status;
}

/*
 * Prints nothing if a file cannot be read: the sum of the others would look
 * complete.
 */
static int print_merged(char **paths, size_t count,
			const struct report_request *request)
{
	struct report_file *const files = calloc(count, sizeof(*files));
	struct selfmon_report *merged = NULL;
	char *header = NULL;
	int status = 0;
	size_t i;

	if (!files)
		return tool_fail("report", "no memory");
	progress_begin("reading reports", count);
	for (i = 0; i < count; i++) {
		progress_at(i);
		if (report_file_open(&files[i], paths[i], false))
			status = TOOL_NO;
	}
	progress_end();
	progress_begin("merging reports", count);
	if (!status)
		status = report_merge(files, count, &merged);
	progress_end();
	if (!status)
		status = report_check_view(merged, paths[0], request);
	if (!status)
		status = report_write(merged, paths[0], request, &header);
	selfmon_report_free(merged);
	free(header);
	for (i = 0; i < count; i++)
		report_file_close(&files[i]);
	free(files);
	return status;
}

static int print(char **paths, size_t count,
		 const struct report_request *request)
{
	if (request->debuginfod)
		symbols_use_debuginfod();
	if (request->output && !freopen(request->output, "we", stdout))
		return tool_fail("report", "%s: %s", request->output,
				 strerror(errno));
	if (request->merge)
		return print_merged(paths, count, request);
	if (request->format == REPORT_HTML && count == 2)
		return print_both(paths);
	return print_each(paths, count, request);
}

int tool_report(int argc, char **argv)
{
	struct report_request request = { .format = SELFMON_TEXT };
	size_t count;
	int option, index = 0, status = 0;

	while (!status && (option = getopt_long(argc, argv, ":f:mo:h", options,
						&index)) != -1) {
		switch (option) {
		case 'h':
			fputs(help, stdout);
			return 0;
		case 'f':
			status = report_take_format(optarg, &request.format);
			break;
		case 'b':
			request.by = optarg;
			break;
		case 'H':
			request.histogram = optarg;
			break;
		case 's':
			request.samples = true;
			break;
		case 'd':
			request.debuginfod = true;
			break;
		case 'm':
			request.merge = true;
			break;
		case 'o':
			request.output = optarg;
			break;
		case 'v':
			request.viewed |=
				strcmp(options[index].name, "threads") != 0;
			status = report_take_view(&request.view,
						  options[index].name, optarg);
			break;
		default:
			return tool_wrong_option("report", option, argv);
		}
	}
	count = (size_t)(argc - optind);
	if (!status)
		status = report_check(&request, count);
	return status ? status : print(argv + optind, count, &request);
}
