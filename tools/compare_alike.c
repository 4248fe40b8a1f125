/* SPDX-License-Identifier: MIT */
#include "compare_alike.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "report/apart.h"
#include "tool.h"

#define CLOCK_TOLERANCE 0.01

void compare_mark(struct compare *compare, const char *format, ...)
{
	char text[SELFMON_TEXT_MAX];
	va_list values;
	size_t i;

	va_start(values, format);
	vsnprintf(text, sizeof(text), format, values);
	va_end(values);
	for (i = 0; i < compare->marks; i++)
		if (!strcmp(compare->mark[i], text))
			return;
	if (compare->marks < COMPARE_MARKS)
		strcpy(compare->mark[compare->marks++], text);
}

/* ---- machines ------------------------------------------------------------ */

static int check_machine(struct compare *compare, const char *what,
			 const char *first, const char *other, size_t run)
{
	const char *const a = compare->file[0].path;
	const char *const b = compare->file[run].path;

	if (!strcmp(first, other))
		return 0;
	if (compare->force) {
		compare_mark(compare, "the %s differs (%s: %s; %s: %s): times "
			     "and cycles are hardly comparable", what, a,
			     *first ? first : "none", b,
			     *other ? other : "none");
		return 0;
	}
	tool_fail("compare", "%s: its %s is %s, that of %s is %s; measure both "
		  "on one machine, or use --force", b, what,
		  *other ? other : "none", a, *first ? first : "none");
	return TOOL_USAGE;
}

static int check_rows(const struct report_file *file)
{
	if (!selfmon_report_has_threads(file->report))
		return 0;
	tool_fail("compare", "%s: its rows are by thread, which cannot be "
		  "compared between runs; write the report without ';threads', "
		  "or merge it: selfmon report -m -f json %s", file->path,
		  file->path);
	return TOOL_USAGE;
}

/* ---- settings ------------------------------------------------------------ */

static void check_settings(struct compare *compare,
			   const struct selfmon_report *a,
			   const struct selfmon_report *b, const char *path)
{
	if (strcmp(a->kernel, b->kernel) != 0)
		compare_mark(compare, "%s: another kernel: %s, not %s", path,
			     b->kernel, a->kernel);
	if (strcmp(a->clock, b->clock) != 0 ||
	    fabs((double)a->clock_hz - (double)b->clock_hz) >
		    CLOCK_TOLERANCE * (double)a->clock_hz)
		compare_mark(compare, "%s: another clock: %s of %.3f GHz, not "
			     "%s of %.3f GHz", path, b->clock,
			     (double)b->clock_hz / 1e9, a->clock,
			     (double)a->clock_hz / 1e9);
	if (a->every != b->every)
		compare_mark(compare, "%s: SELFMON_EVERY=%u, not %u", path,
			     b->every, a->every);
	if (a->fence != b->fence)
		compare_mark(compare, "%s: timestamps are %sfenced", path,
			     b->fence ? "" : "not ");
}

/* ---- columns ------------------------------------------------------------- */

static const struct selfmon_report_column *
counted(const struct selfmon_report *report, const char *name)
{
	size_t i;

	for (i = 0; i < report->columns; i++)
		if (!strcmp(report->column[i].name, name))
			return report->column[i].verdict == SELFMON_NOT_COUNTED
				       ? NULL
				       : &report->column[i];
	return NULL;
}

/*
 * Adds a column that all runs have. If only some runs have it, adds a warning
 * instead.
 */
static void take_column(struct compare *compare, const char *name)
{
	const size_t runs = compare->side[0].count + compare->side[1].count;
	size_t i, column = COMPARE_COUNTERS, have = 0;

	for (i = 0; i < runs; i++)
		have += counted(compare->file[i].report, name) != NULL;
	if (have && have < runs)
		compare_mark(compare, "%s is not compared: %zu of %zu runs "
			     "counted it", name, have, runs);
	if (have < runs)
		return;
	while (column < COMPARE_COLUMNS && compare->column[column]) {
		if (!strcmp(compare->column[column], name))
			return;
		column++;
	}
	if (column < COMPARE_COLUMNS)
		compare->column[column] = name;
}

static void take_columns(struct compare *compare)
{
	const size_t runs = compare->side[0].count + compare->side[1].count;
	size_t i, k;

	compare->column[COMPARE_TIME] = "time";
	compare->column[COMPARE_P50] = "p50";
	compare->column[COMPARE_P99] = "p99";
	compare->column[COMPARE_VISITS] = "visits";
	for (i = 0; i < runs; i++)
		for (k = 0; k < compare->file[i].report->columns; k++)
			take_column(compare,
				    compare->file[i].report->column[k].name);
}

/*
 * Finds the primary column by its name, and stores its index. Percentiles
 * cannot be primary. Returns 0, or TOOL_USAGE with a message.
 */
static int find_primary(struct compare *compare)
{
	const char *names[COMPARE_COLUMNS + 1];
	char hint[TOOL_HINT_SIZE];
	size_t i, count = 0;

	for (i = 0; i < COMPARE_COLUMNS; i++) {
		if (!compare->column[i] || i == COMPARE_P50 ||
		    i == COMPARE_P99)
			continue;
		names[count++] = compare->column[i];
		if (strcmp(compare->column[i], compare->by) != 0)
			continue;
		compare->primary = i;
		return 0;
	}
	names[count] = NULL;
	tool_hint(compare->by, names, hint);
	return tool_misused("compare", "--by %s: not all runs have this "
			    "column%s; they have time, visits and %zu counters",
			    compare->by, hint, count - 2);
}

int compare_check_alike(struct compare *compare)
{
	const size_t runs = compare->side[0].count + compare->side[1].count;
	const struct selfmon_report *const first = compare->file[0].report;
	int status = 0;
	size_t i;

	for (i = 0; !status && i < runs; i++) {
		const struct report_file *const file = &compare->file[i];
		const struct selfmon_report *const report = file->report;

		status = check_rows(file);
		if (!status)
			status = check_machine(compare, "CPU", first->cpu,
					       report->cpu, i);
		if (!status)
			status = check_machine(compare, "hypervisor",
					       first->hypervisor,
					       report->hypervisor, i);
		check_settings(compare, first, report, file->path);
		if (!report->rows)
			compare_mark(compare, "%s: has no regions", file->path);
	}
	take_columns(compare);
	return status ? status : find_primary(compare);
}
