/* SPDX-License-Identifier: MIT */
#include "selftest_print.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <selfmon/version.h>

#include "doctor.h"
#include "platform/escape.h"
#include "selftest_row.h"
#include "tool.h"

#define STATUS_WIDTH 14 /* "not applicable" */
#define NAME_WIDTH 9

/* Escape sequences for green, red and dim: SGR of ECMA-48. */
static const char *const colour[] = {
	[SELFTEST_PASS] = "\033[32m",
	[SELFTEST_FAIL] = "\033[31m",
	[SELFTEST_ABSENT] = "\033[2m",
	[SELFTEST_BUSY] = "\033[2m",
};

void selftest_print_head(const struct selftest_machine *machine, FILE *stream)
{
	const struct doctor_machine *doctor = machine->report->machine;

	tool_line(stream, "selfmon %s selftest: %s; %s", SELFMON_VERSION,
		  doctor->cpu, doctor->kernel);
	fputc('\n', stream);
}

static void print_difference(const struct selftest_difference *of,
			     FILE *stream)
{
	fprintf(stream, "%*s", STATUS_WIDTH + NAME_WIDTH + 4, "");
	selfmon_output_text(stream, of->what);
	if (of->least < of->most)
		fprintf(stream, ": expected %.15g to %.15g", of->least,
			of->most);
	else
		fprintf(stream, ": expected %.15g", of->least);
	fprintf(stream, ", seen %.15g\n", of->seen);
}

void selftest_print_row(const struct selftest_row *row, bool colours,
			FILE *stream)
{
	const char *between = "";
	size_t i;

	fprintf(stream, "%s%-*s%s  %-*s  ", colours ? colour[row->status] : "",
		STATUS_WIDTH, selftest_status_name(row->status),
		colours ? "\033[0m" : "", NAME_WIDTH, row->name);
	if (row->reason.length) {
		selfmon_output_text(stream, row->reason.text);
		between = "; ";
	}
	if (row->found.length) {
		fputs(between, stream);
		selfmon_output_text(stream, row->found.text);
	}
	fputc('\n', stream);
	for (i = 0; i < row->differences && i < SELFTEST_DIFFERENCES; i++)
		print_difference(&row->difference[i], stream);
	if (row->differences > SELFTEST_DIFFERENCES)
		fprintf(stream, "%*s%zu more like these\n",
			STATUS_WIDTH + NAME_WIDTH + 4, "",
			row->differences - SELFTEST_DIFFERENCES);
}

/* ---- the last line ------------------------------------------------------- */

static void add(struct selftest_result *to, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void add(struct selftest_result *to, const char *format, ...)
{
	const size_t used = strlen(to->verdict);
	va_list values;

	va_start(values, format);
	vsnprintf(to->verdict + used, sizeof(to->verdict) - used, format,
		  values);
	va_end(values);
}

static size_t count(const struct selftest_result *in,
		    enum selftest_status status)
{
	size_t i, n = 0;

	for (i = 0; i < in->rows; i++)
		n += in->row[i].status == status;
	return n;
}

static void add_names(struct selftest_result *to, enum selftest_status status)
{
	const char *between = "";
	size_t i;

	for (i = 0; i < to->rows; i++) {
		if (to->row[i].status != status)
			continue;
		add(to, "%s%s", between, to->row[i].name);
		between = ", ";
	}
}

/*
 * Lists the checks that did not pass but are required for the verdict "counts
 * are exact". Returns true if there are any.
 */
static bool add_unshown(struct selftest_result *to)
{
	static const char *const needed[] = { "exact", "slope", "agree" };
	const char *between = "";
	size_t i, k;

	for (i = 0; i < to->rows; i++)
		for (k = to->from->user_reads ? 3 : 2; k-- > 0;) {
			if (strcmp(to->row[i].name, needed[k]) != 0 ||
			    to->row[i].status == SELFTEST_PASS)
				continue;
			if (!*between)
				add(to, "no wrong count was found, but these "
				    "checks for exactness did not pass: ");
			add(to, "%s%s", between, needed[k]);
			between = ", ";
		}
	return *between;
}

static void add_notes(struct selftest_result *to)
{
	const struct selftest_machine *machine = to->machine;
	size_t i;

	if (!machine->notes)
		return;
	add(to, "; %zu note%s: ", machine->notes,
	    machine->notes == 1 ? "" : "s");
	for (i = 0; i < machine->notes; i++)
		add(to, "%s%s", i ? "; " : "", machine->note[i]);
}

int selftest_conclude(struct selftest_result *to)
{
	to->verdict[0] = '\0';
	if (count(to, SELFTEST_FAIL)) {
		add(to, "numbers are wrong here: ");
		add_names(to, SELFTEST_FAIL);
		add(to, " failed");
		add_notes(to);
		return TOOL_NO;
	}
	if (!to->from->pmu) {
		add(to, "hardware events cannot be counted here (%s); the "
		    "other checks passed: ", to->machine->why_no_pmu);
		add_names(to, SELFTEST_PASS);
		return SELFTEST_NO_PMU;
	}
	if (!add_unshown(to))
		add(to, "counts are exact here");
	add_notes(to);
	return 0;
}
