/* SPDX-License-Identifier: MIT */
#include "report_check.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

static const char *const format_name[] = {
	SELFMON_FORMAT_NAMES,
	[REPORT_FOLDED] = "folded",
	[REPORT_HTML] = "html",
	[REPORT_PPROF] = "pprof",
	NULL,
};

int report_take_format(const char *name, int *format)
{
	char hint[TOOL_HINT_SIZE];
	int i;

	for (i = 0; format_name[i]; i++) {
		if (strcmp(format_name[i], name))
			continue;
		*format = i;
		return 0;
	}
	return tool_misused("report", "unknown format '%s'%s: "
			    SELFMON_FORMAT_LIST ", html, folded or pprof are "
			    "allowed", name,
			    tool_hint(name, format_name, hint));
}

int report_take_view(struct selfmon_view *view, const char *name,
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

/*
 * Returns true if any view option was given except --top, which also applies to
 * samples.
 */
static bool is_viewed(const struct selfmon_view *view)
{
	return view->flat || view->collapse || view->threads || view->depth ||
	       view->min_share > 0 || view->sort[0] || view->columns[0] ||
	       view->find[0];
}

/*
 * Returns true if the output consists only of samples and the functions that
 * they hit. HTML also shows other data, so it is not included.
 */
static bool needs_symbols(const struct report_request *request)
{
	return request->samples || request->format == REPORT_PPROF ||
	       (request->by && !strcmp(request->by, "samples"));
}

static int check_samples(const struct report_request *request)
{
	if (request->samples &&
	    (request->format != SELFMON_TEXT || request->histogram))
		return tool_misused("report", "--samples needs --format text, "
				    "without --histogram");
	if (request->samples && is_viewed(&request->view))
		return tool_misused("report", "--samples has all regions: of "
				    "the views only --top N is allowed");
	if (needs_symbols(request) && request->view.threads)
		return tool_misused("report", "--threads: samples are not kept "
				    "by thread");
	if (request->debuginfod && !needs_symbols(request) &&
	    request->format != REPORT_HTML)
		return tool_misused("report", "--debuginfod needs --samples, "
				    "--by samples, or --format pprof or html");
	return 0;
}

int report_check(const struct report_request *request, size_t count)
{
	if (!count)
		return tool_misused("report", "a file is missing");
	if (request->by && request->format != REPORT_FOLDED)
		return tool_misused("report", "--by needs --format folded");
	if (request->histogram && request->format != SELFMON_TEXT)
		return tool_misused("report", "--histogram needs --format "
				    "text");
	if (request->view.threads &&
	    (request->merge || (request->format == REPORT_HTML && count > 1)))
		return tool_misused("report", "--threads needs one report: "
				    "threads of several processes are not "
				    "merged or compared");
	if (request->viewed && request->format >= SELFMON_FORMATS)
		return tool_misused("report", "html, folded and pprof have all "
				    "rows: --flat, --top and similar options need "
				    "one of " SELFMON_FORMAT_LIST);
	if (request->format == REPORT_HTML && !request->merge && count > 2)
		return tool_misused("report", "html takes one report, or two "
				    "to compare, not %zu; --merge combines all "
				    "into one", count);
	if (request->format == REPORT_PPROF && !request->merge && count > 1)
		return tool_misused("report", "pprof takes one report, not "
				    "%zu; --merge combines all into one",
				    count);
	if (request->format == REPORT_PPROF && !request->output &&
	    isatty(STDOUT_FILENO))
		return tool_misused("report", "pprof is not text: name a file "
				    "by --output");
	return check_samples(request);
}

int report_check_view(const struct selfmon_report *report, const char *path,
		      const struct report_request *request)
{
	struct selfmon_view view = request->view;
	char message[SELFMON_VIEW_MESSAGE_SIZE];

	if (selfmon_view_check(&view, report, message))
		return tool_fail("report", "%s: --%s", path, message);
	return 0;
}
