/* SPDX-License-Identifier: MIT */
/* selfmon report: prints report files, separately or merged, in any format. */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include <selfmon.h>

#include "html.h"
#include "progress.h"
#include "report/apart.h"
#include "report/view.h"
#include "report/write.h"
#include "report_file.h"
#include "report_folded.h"
#include "report_histogram.h"
#include "report_samples.h"
#include "tool.h"

static const char help[] =
	"usage: selfmon report [OPTION...] FILE...\n"
	"Prints the report of each file: live files (SELFMON_LIVE=FILE), of "
	"processes that\n"
	"still run, or ended in any way, and reports in JSON\n"
	"(SELFMON_OUTPUT=json:FILE).\n"
	"\n"
	"  -f, --format FORMAT  text (default), json, csv, html or folded\n"
	"      --by COLUMN      for folded stacks: time (default), visits or a "
	"counter\n"
	"  -m, --merge          one report of all files: regions of one path "
	"are one row\n"
	"      --histogram REGION\n"
	"                       how long the visits of a region took; by its "
	"name, or by\n"
	"                       the end of its path, as in round/sort\n"
	"      --samples        the functions of each region with most samples "
	"(of\n"
	"                       SELFMON_SAMPLE); --top N: N of each region; "
	"default: 5\n"
	"      --debuginfod     ask the servers in DEBUGINFOD_URLS for symbols "
	"too\n"
	"  -o, --output FILE    write to FILE\n"
	"\n"
	"html: one page that needs no network; it compares two files. folded: "
	"for\n"
	"flamegraph.pl, inferno and speedscope.\n"
	"\n"
	"Which rows and columns, in text, json and csv:\n"
	"      --flat           one row for each name, by self time; recursion "
	"is counted once\n"
	"      --collapse       recursion as one row, in the tree\n"
	"      --threads        a row for each thread, its regions below it; "
	"needs\n"
	"                       a live file, or JSON written with "
	"json:FILE;threads\n"
	"      --depth N        N levels of the tree\n"
	"      --min-share P    regions below P percent as one row, \"others "
	"(N)\"\n"
	"      --sort COLUMN    by falling values; or by name\n"
	"      --top N          the first N rows, the rest as others; 0: all; "
	"default of text: 60\n"
	"      --columns A+B    these columns\n"
	"      --find REGEX     regions that match, and those around them\n"
	"\n"
	"Exits with 0; 1: a file cannot be read or has no such region (the "
	"others are\n"
	"printed), or files cannot be merged (none is printed); 2: the options "
	"are wrong.\n";

/* The library's formats with its own numbers, then the tool's. */
enum { FORMAT_FOLDED = SELFMON_FORMATS, FORMAT_HTML };
static const char *const format_name[] = {
	SELFMON_FORMAT_NAMES,
	[FORMAT_FOLDED] = "folded",
	[FORMAT_HTML] = "html",
	NULL,
};

struct request {
	int format;
	bool merge, samples, debuginfod;
	const char *by, *output, *histogram;
	bool viewed; /* a view option was given */
	struct selfmon_view view;
};

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

static int take_format(const char *name, int *format)
{
	char hint[TOOL_HINT_SIZE];
	int i;

	for (i = 0; format_name[i]; i++) {
		if (strcmp(format_name[i], name))
			continue;
		*format = i;
		return 0;
	}
	return tool_misused("report", "unknown format '%s'%s: text, json, csv, "
			    "html or folded are allowed", name,
			    tool_hint(name, format_name, hint));
}

/* Parses an option as in SELFMON_OUTPUT: "name=value". */
static int take_view(struct selfmon_view *view, const char *name,
		     const char *value)
{
	char text[SELFMON_VIEW_COLUMNS_SIZE + 128];
	char message[SELFMON_VIEW_MESSAGE_SIZE];
	const int length =
		snprintf(text, sizeof(text), "%s%s%s", name, value ? "=" : "",
			 value ? value : "");

	if (length >= (int)sizeof(text))
		return tool_misused("report", "--%.64s...: the value is too "
				    "long", text);
	if (selfmon_view_option(view, text, (size_t)length, message))
		return tool_misused("report", "--%s", message);
	return 0;
}

/* Checked for each report, since columns differ. */
static int check_view(const struct selfmon_report *report, const char *path,
		      const struct request *request)
{
	struct selfmon_view view = request->view;
	char message[SELFMON_VIEW_MESSAGE_SIZE];

	if (selfmon_view_check(&view, report, message))
		return tool_fail("report", "%s: --%s", path, message);
	return 0;
}

/* Reports without a view of their own use the rows of this one. */
static const struct selfmon_report *
rows_of(const struct selfmon_report *report, const struct request *request)
{
	return request->view.threads ? selfmon_report_by_thread(report)
				     : report;
}

/* Returns NULL, with a message, for a report without samples. */
static struct symbols *open_symbols(const struct selfmon_report *report,
				    const char *path,
				    const struct request *request)
{
	struct symbols *symbols;

	if (!report->samples) {
		tool_fail("report", "%s: has no samples: run the program with "
			  "SELFMON_SAMPLE=auto", path);
		return NULL;
	}
	symbols = symbols_open(report, request->debuginfod);
	if (!symbols)
		tool_fail("report", "%s: no memory", path);
	return symbols;
}

static int write_samples(const struct selfmon_report *report, const char *path,
			 const struct request *request)
{
	struct symbols *const symbols = open_symbols(report, path, request);
	int status;

	if (!symbols)
		return TOOL_NO;
	status = report_samples(report, path, symbols,
				request->view.limited ? request->view.top
						      : REPORT_SAMPLES_TOP,
				stdout);
	symbols_close(symbols);
	return status;
}

static int write_report(const struct selfmon_report *report, const char *path,
			const struct request *request)
{
	int error;

	report = rows_of(report, request);
	if (request->histogram)
		return report_histogram(report, path, request->histogram,
					stdout);
	if (request->samples)
		return write_samples(report, path, request);
	if (request->format == FORMAT_FOLDED)
		return report_folded(report, request->by ? request->by : "time",
				     stdout);
	if (request->format == FORMAT_HTML)
		error = html_write(report, NULL, NULL, stdout);
	else
		error = selfmon_report_write_view(
			report, (enum selfmon_format)request->format,
			&request->view, stdout);
	if (error || ferror(stdout))
		return tool_fail("report", "%s: the output failed", path);
	return 0;
}

/* Returns NULL without memory. */
static char *csv_of(const struct selfmon_report *report,
		    const struct selfmon_view *view)
{
	char *text = NULL;
	size_t size;
	FILE *const memory = open_memstream(&text, &size);
	int error;

	if (!memory)
		return NULL;
	error = selfmon_report_write_view(report, SELFMON_CSV, view, memory);
	if (!fclose(memory) && !error)
		return text;
	free(text);
	return NULL;
}

/*
 * Skips the header line if it equals that of the previous report, kept in
 * header: processes that counted the same events share a table.
 */
static int write_csv(const struct selfmon_report *report, const char *path,
		     const struct selfmon_view *view, char **header)
{
	char *const text = csv_of(report, view);
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

/* Opens the i-th of count files. */
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

static int print_each(char **paths, size_t count, const struct request *request)
{
	struct report_file file;
	char *header = NULL;
	int status = 0;
	size_t i;

	for (i = 0; i < count && status != TOOL_USAGE; i++) {
		if (i && request->format == SELFMON_TEXT)
			putchar('\n');
		if (open_one(&file, paths, i, count, request->view.threads) ||
		    check_view(file.report, paths[i], request))
			status = TOOL_NO;
		else if (request->format == SELFMON_CSV)
			status |= write_csv(file.report, paths[i],
					    &request->view, &header);
		else
			status |= write_report(file.report, paths[i], request);
		report_file_close(&file);
	}
	free(header);
	return status;
}

/* Writes two reports on one page. */
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

/* Prints nothing if one file fails: a partial sum would look complete. */
static int print_merged(char **paths, size_t count,
			const struct request *request)
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
		if (report_file_open(&files[i], paths[i], false))
			status = TOOL_NO;
	}
	progress_end();
	progress_begin("merging reports", count);
	if (!status)
		status = report_merge(files, count, &merged);
	progress_end();
	if (!status)
		status = check_view(merged, paths[0], request);
	if (!status)
		status = write_report(merged, paths[0], request);
	selfmon_report_free(merged);
	for (i = 0; i < count; i++)
		report_file_close(&files[i]);
	free(files);
	return status;
}

/* Of the views only --top is one of samples. */
static bool is_viewed(const struct selfmon_view *view)
{
	return view->flat || view->collapse || view->threads || view->depth ||
	       view->min_share > 0 || view->sort[0] || view->columns[0] ||
	       view->find[0];
}

static int check_samples(const struct request *request)
{
	if (request->debuginfod && !request->samples)
		return tool_misused("report", "--debuginfod needs --samples");
	if (request->samples &&
	    (request->format != SELFMON_TEXT || request->histogram))
		return tool_misused("report", "--samples needs --format text, "
				    "without --histogram");
	if (request->samples && is_viewed(&request->view))
		return tool_misused("report", "--samples has all regions: of "
				    "the views only --top N is allowed");
	return 0;
}

static int check(const struct request *request, size_t count)
{
	if (!count)
		return tool_misused("report", "a file is missing");
	if (request->by && request->format != FORMAT_FOLDED)
		return tool_misused("report", "--by needs --format folded");
	if (request->histogram && request->format != SELFMON_TEXT)
		return tool_misused("report", "--histogram needs --format "
				    "text");
	if (request->view.threads &&
	    (request->merge || (request->format == FORMAT_HTML && count > 1)))
		return tool_misused("report", "--threads needs one report: "
				    "threads of several processes are not "
				    "merged or compared");
	if (request->viewed && request->format >= SELFMON_FORMATS)
		return tool_misused("report", "html and folded have all rows: "
				    "--flat, --top and similar options need "
				    "text, json or csv");
	if (request->format == FORMAT_HTML && !request->merge && count > 2)
		return tool_misused("report", "html takes one report, or two "
				    "to compare, not %zu; --merge combines all "
				    "into one", count);
	return 0;
}

static int print(char **paths, size_t count, const struct request *request)
{
	if (request->output && !freopen(request->output, "we", stdout))
		return tool_fail("report", "%s: %s", request->output,
				 strerror(errno));
	if (request->merge)
		return print_merged(paths, count, request);
	if (request->format == FORMAT_HTML && count == 2)
		return print_both(paths);
	return print_each(paths, count, request);
}

int tool_report(int argc, char **argv)
{
	struct request request = { .format = SELFMON_TEXT };
	size_t count;
	int option, index = 0, status = 0;

	while (!status && (option = getopt_long(argc, argv, ":f:mo:h", options,
						&index)) != -1) {
		switch (option) {
		case 'h':
			fputs(help, stdout);
			return 0;
		case 'f':
			status = take_format(optarg, &request.format);
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
			status = take_view(&request.view, options[index].name,
					   optarg);
			break;
		default:
			return tool_wrong_option("report", option, argv);
		}
	}
	count = (size_t)(argc - optind);
	if (!status)
		status = check(&request, count);
	if (!status)
		status = check_samples(&request);
	return status ? status : print(argv + optind, count, &request);
}
