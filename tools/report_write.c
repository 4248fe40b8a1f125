/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "report_write.h"

#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "report/apart.h"
#include "report/write.h"
#include "report_folded.h"
#include "report_folded_samples.h"
#include "report_histogram.h"
#include "report_pprof.h"
#include "report_samples.h"
#include "tool.h"

static const struct selfmon_report *
rows_of(const struct selfmon_report *report,
	const struct report_request *request)
{
	return request->view.threads ? selfmon_report_by_thread(report)
				     : report;
}

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
 * Writes CSV. Skips the header line if it equals *header, the header line of
 * the previous report: processes that counted the same events share a table.
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

/*
 * Opens the symbols. If the report has no samples or no call stacks, or memory
 * is short, prints a message and returns NULL.
 */
static struct symbols *open_symbols(const struct selfmon_report *report,
				    const char *path)
{
	const struct selfmon_samples *const samples = report->samples;
	struct symbols *symbols;

	if (!samples) {
		tool_fail("report", "%s: has no samples: run the program with "
			  "SELFMON_SAMPLE=auto", path);
		return NULL;
	}
	if (!report->stacks ||
	    (!samples->stacks && samples->taken > samples->unstored)) {
		tool_fail("report", "%s: has no call stacks: write JSON "
			  "without options such as threads and flat", path);
		return NULL;
	}
	symbols = symbols_open(report);
	if (!symbols)
		tool_fail("report", "%s: no memory", path);
	return symbols;
}

static size_t top_of(const struct report_request *request)
{
	return request->view.limited ? request->view.top : REPORT_SAMPLES_TOP;
}

/*
 * Writes an output that consists of samples. symbols_complain() prints why
 * modules have no symbols; the table of --samples lists these reasons itself.
 */
static int write_samples(const struct selfmon_report *report, const char *path,
			 const struct report_request *request)
{
	struct symbols *const symbols = open_symbols(report, path);
	int status;

	if (!symbols)
		return TOOL_NO;
	if (request->samples)
		status = report_samples(report, path, symbols, top_of(request),
					stdout);
	else if (request->format == REPORT_PPROF)
		status = report_pprof(report, path, symbols, stdout);
	else
		status = report_folded_samples(report, path, symbols, stdout);
	if (!request->samples)
		symbols_complain(symbols);
	symbols_close(symbols);
	if (!status && ferror(stdout))
		status = tool_fail("report", "%s: the output failed", path);
	return status;
}

static bool is_of_samples(const struct report_request *request)
{
	return request->samples || request->format == REPORT_PPROF ||
	       (request->format == REPORT_FOLDED && request->by &&
		!strcmp(request->by, "samples"));
}

int report_write(const struct selfmon_report *report, const char *path,
		 const struct report_request *request, char **header)
{
	int error;

	report = rows_of(report, request);
	if (is_of_samples(request))
		return write_samples(report, path, request);
	if (request->histogram)
		return report_histogram(report, path, request->histogram,
					stdout);
	if (request->format == REPORT_FOLDED)
		return report_folded(report, request->by ? request->by : "time",
				     stdout);
	if (request->format == SELFMON_CSV)
		return write_csv(report, path, &request->view, header);
	if (request->format == REPORT_HTML)
		error = html_write(report, NULL, NULL, stdout);
	else
		error = selfmon_report_write_view(
			report, (enum selfmon_format)request->format,
			&request->view, stdout);
	if (error || ferror(stdout))
		return tool_fail("report", "%s: the output failed", path);
	return 0;
}
