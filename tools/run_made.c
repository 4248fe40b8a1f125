/* SPDX-License-Identifier: MIT */
#include "run_made.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "html.h"
#include "report_file.h"
#include "report_folded.h"
#include "report_folded_samples.h"
#include "report_pprof.h"
#include "run_output.h"
#include "tool.h"

#define SOURCE_SIZE (RUN_OUTPUT_SIZE + 32)

static int write_samples(const struct selfmon_report *report, const char *path,
			 enum run_made made, FILE *to)
{
	struct symbols *const symbols = symbols_open(report);
	int status;

	if (!symbols)
		return tool_fail("run", "no memory");
	status = made == RUN_FOLDED
			 ? report_folded_samples(report, path, symbols, to)
			 : report_pprof(report, path, symbols, to);
	symbols_complain(symbols);
	symbols_close(symbols);
	return status;
}

/*
 * Writes the format. Folded stacks contain the time of regions if there are no
 * samples.
 */
static int write_made(const struct selfmon_report *report, const char *path,
		      enum run_made made, FILE *to)
{
	const bool sampled = report->samples && report->stacks;

	if (made == RUN_HTML)
		return html_write(report, NULL, NULL, to)
			       ? tool_fail("run", "no memory")
			       : 0;
	if (sampled)
		return write_samples(report, path, made, to);
	if (made == RUN_FOLDED)
		return report_folded(report, "time", to);
	return tool_fail("run", "%s: the report has no samples: use --sample "
			 "auto", path);
}

static bool write_file(const struct selfmon_report *report, const char *path,
		       enum run_made made)
{
	FILE *const to = fopen(path, "we");
	bool failed;

	if (!to) {
		tool_fail("run", "%s: %s", path, strerror(errno));
		return false;
	}
	if (write_made(report, path, made, to)) {
		fclose(to);
		unlink(path);
		return false;
	}
	failed = ferror(to);
	if (fclose(to) || failed) {
		tool_fail("run", "%s: the output failed", path);
		return false;
	}
	return true;
}

static void name_source(char source[SOURCE_SIZE], const char *path)
{
	snprintf(source, SOURCE_SIZE, "%s" RUN_SOURCE_ENDING, path,
		 (int)getpid());
}

bool run_made_begin(const char *path)
{
	char source[SOURCE_SIZE];

	name_source(source, path);
	return !unlink(source) || errno != ENAMETOOLONG;
}

bool run_make(const char *path, enum run_made made)
{
	char source[SOURCE_SIZE];
	struct report_file file;
	bool done;

	name_source(source, path);
	if (access(source, R_OK))
		return true;
	done = !report_file_open(&file, source, false);
	if (done) {
		done = write_file(file.report, path, made);
		report_file_close(&file);
	}
	if (done)
		unlink(source);
	else
		tool_line(stderr, "selfmon run: the report in JSON is in %s",
			  source);
	return done;
}
