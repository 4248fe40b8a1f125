/* SPDX-License-Identifier: MIT */
/* selfmon trace: converts traces for viewers. */
#include "trace.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"
#include "tool.h"
#include "trace_chrome.h"
#include "trace_lanes.h"
#include "trace_perfetto.h"
#include "trace_read.h"
#include "trace_summary.h"

static const char help[] =
	"usage: selfmon trace [-a] FILE...\n"
	"       selfmon trace [-f FORMAT] -o OUT FILE...\n"
	"Prints a summary of each trace (SELFMON_TRACE=FILE), or converts "
	"all traces to one\n"
	"time line, with the start and end of each visit:\n"
	"\n"
	"  -a, --all            all tracks in the summary, not only the 20 "
	"with the most\n"
	"                       visits\n"
	"  -o, --output OUT     OUT.pftrace for Perfetto (ui.perfetto.dev), "
	"OUT.json in\n"
	"                       Chrome's format for speedscope, "
	"chrome://tracing and others\n"
	"  -f, --format FORMAT  perfetto or chrome, if OUT has another "
	"ending\n"
	"\n"
	"Traces of killed processes can be read. Traces of several processes "
	"must be from\n"
	"the same machine, without a reboot between them. The command needs "
	"32 bytes of\n"
	"memory a visit.\n";

static const struct option options[] = {
	{ "all", no_argument, NULL, 'a' },
	{ "output", required_argument, NULL, 'o' },
	{ "format", required_argument, NULL, 'f' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const struct format {
	const char *name, *suffix;
	int (*write)(struct trace *const *trace, size_t traces, FILE *to);
} formats[] = {
	{ "perfetto", ".pftrace", trace_write_perfetto },
	{ "chrome", ".json", trace_write_chrome },
};

#define FORMATS (sizeof(formats) / sizeof(formats[0]))

static bool ends_with(const char *text, const char *end)
{
	const size_t length = strlen(text), n = strlen(end);

	return length > n && !strcmp(text + length - n, end);
}

/*
 * Returns the format with this name or, without a name, for this output file.
 * Returns NULL if there is none.
 */
static const struct format *format_of(const char *name, const char *output)
{
	size_t i;

	for (i = 0; i < FORMATS; i++)
		if (name ? !strcmp(name, formats[i].name)
			 : ends_with(output, formats[i].suffix))
			return &formats[i];
	return NULL;
}

static struct trace *read_one(const char *path)
{
	char why[TRACE_WHY_SIZE];
	struct trace *const trace = trace_read(path, why);
	size_t i;

	if (!trace) {
		tool_fail("trace", "%s: %s", path, why);
		return NULL;
	}
	for (i = 0; i < trace->tracks; i++)
		if (!trace_lanes(&trace->track[i])) {
			tool_fail("trace", "%s: no memory", path);
			trace_free(trace);
			return NULL;
		}
	return trace;
}

/*
 * Sets the offsets of the traces, so that the common time line starts with the
 * earliest trace.
 */
static void set_offsets(struct trace *const *trace, size_t traces)
{
	uint64_t first = UINT64_MAX;
	size_t i;

	for (i = 0; i < traces; i++)
		if (trace[i]->begin_raw_ns < first)
			first = trace[i]->begin_raw_ns;
	for (i = 0; i < traces; i++)
		trace[i]->offset_ns = trace[i]->begin_raw_ns - first;
}

static int write_all(struct trace *const *trace, size_t traces,
		     const struct format *format, const char *output)
{
	FILE *const to = fopen(output, "wbe");
	int error;

	if (!to)
		return tool_fail("trace", "%s: %s", output, strerror(errno));
	set_offsets(trace, traces);
	errno = 0; /* the first write that fails sets it */
	error = format->write(trace, traces, to);
	if (!error && (fflush(to) || ferror(to)))
		error = errno ? -errno : -EIO;
	if (fclose(to) && !error)
		error = -errno;
	return error ? tool_fail("trace", "%s: %s", output, strerror(-error))
		     : 0;
}

static int summarize(struct trace *const *trace, size_t traces, bool all)
{
	size_t i;

	for (i = 0; i < traces; i++)
		if (trace_write_summary(trace[i], all, stdout))
			return tool_fail("trace", "no memory");
	return 0;
}

static int run(char **path, size_t traces, bool all,
	       const struct format *format, const char *output)
{
	struct trace **const trace = calloc(traces, sizeof(*trace));
	int status = 0;
	size_t i;

	if (!trace)
		return tool_fail("trace", "no memory");
	progress_begin("reading traces", traces);
	for (i = 0; i < traces && !status; i++) {
		trace[i] = read_one(path[i]);
		status = trace[i] ? 0 : TOOL_NO;
		progress_at(i + 1);
	}
	progress_end();
	if (!status)
		status = output ? write_all(trace, traces, format, output)
				: summarize(trace, traces, all);
	for (i = 0; i < traces; i++)
		if (trace[i])
			trace_free(trace[i]);
	free(trace);
	return status;
}

int tool_trace(int argc, char **argv)
{
	const char *output = NULL, *name = NULL;
	const struct format *format = NULL;
	bool all = false;
	int option;

	while ((option = getopt_long(argc, argv, ":ao:f:h", options, NULL)) !=
	       -1) {
		if (option == '?' || option == ':')
			return tool_wrong_option("trace", option, argv);
		if (option == 'h') {
			fputs(help, stdout);
			return 0;
		}
		if (option == 'a')
			all = true;
		else if (option == 'o')
			output = optarg;
		else
			name = optarg;
	}
	if (optind == argc)
		return tool_misused("trace", "a file is missing");
	if (name && !output)
		return tool_misused("trace", "--format %s needs --output", name);
	if (all && output)
		return tool_misused("trace", "--all is for the summary, which "
				    "--output replaces");
	if (output)
		format = format_of(name, output);
	if (name && !format)
		return tool_misused("trace", "--format %s: perfetto and chrome "
				    "are allowed", name);
	if (output && !format)
		return tool_misused("trace", "--output %s: its name must end in "
				    ".pftrace or .json, or give --format",
				    output);
	return run(argv + optind, (size_t)(argc - optind), all, format,
		   output);
}
