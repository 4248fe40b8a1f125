/* SPDX-License-Identifier: MIT */
/*
 * Writes samples as a message Profile of pprof's profile.proto, uncompressed.
 * Regions are labels of the samples. Addresses are those in the symbol tables
 * of the modules, so all mappings begin at 0.
 */
#define _GNU_SOURCE
#include "report_pprof.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pprof_tables.h"
#include "protobuf.h"
#include "tool.h"

/* Field numbers of the messages in profile.proto. */
enum value_type { TYPE_TYPE = 1, TYPE_UNIT = 2 };
enum sample { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES = 2, SAMPLE_LABEL = 3 };
enum label { LABEL_KEY = 1, LABEL_TEXT = 2, LABEL_NUMBER = 3 };

/* ---- samples ------------------------------------------------------------- */

/*
 * Returns true if each sample has a second value: the number of events that it
 * stands for.
 */
static bool has_events(const struct selfmon_samples *samples)
{
	return samples->period && !samples->frequency;
}

static bool is_clock(const struct selfmon_samples *samples)
{
	return !strcmp(samples->event, "task-clock") ||
	       !strcmp(samples->event, "cpu-clock");
}

static void put_type(struct pprof *pprof, unsigned int field, const char *type,
		     const char *unit)
{
	protobuf_clear(&pprof->part);
	protobuf_number(&pprof->part, TYPE_TYPE, pprof_string(pprof, type));
	protobuf_number(&pprof->part, TYPE_UNIT, pprof_string(pprof, unit));
	protobuf_message(&pprof->to, field, &pprof->part);
}

static void put_event_type(struct pprof *pprof, unsigned int field)
{
	if (is_clock(pprof->samples))
		put_type(pprof, field, "cpu", "nanoseconds");
	else
		put_type(pprof, field, pprof->samples->event, "count");
}

static void put_label(struct pprof *pprof, const char *key, const char *text,
		      uint64_t number)
{
	protobuf_clear(&pprof->inner);
	protobuf_number(&pprof->inner, LABEL_KEY, pprof_string(pprof, key));
	protobuf_number(&pprof->inner, LABEL_TEXT, pprof_string(pprof, text));
	protobuf_number(&pprof->inner, LABEL_NUMBER, number);
	protobuf_message(&pprof->part, SAMPLE_LABEL, &pprof->inner);
}

static void write_path(const struct selfmon_report *report, int32_t row,
		       FILE *to)
{
	if (report->row[row].parent >= 0) {
		write_path(report, report->row[row].parent, to);
		putc('/', to);
	}
	fputs(report->row[row].name, to);
}

static char *path_of(const struct selfmon_report *report, int32_t row)
{
	char *text = NULL;
	size_t size;
	FILE *const memory = open_memstream(&text, &size);

	if (!memory)
		return NULL;
	if (row < 0)
		fputs("(outside of regions)", memory);
	else
		write_path(report, row, memory);
	if (!fclose(memory))
		return text;
	free(text);
	return NULL;
}

static void put_sample(struct pprof *pprof, const char *path,
		       const struct selfmon_sampled_stack *stack)
{
	uint64_t value[] = { stack->count, 0 };
	uint32_t i, depth = 0;

	if (__builtin_mul_overflow(stack->count, pprof->samples->period,
				   &value[1]) || value[1] > INT64_MAX)
		value[1] = INT64_MAX;
	for (i = 0; i < stack->depth; i++) {
		const struct symbol_place *const place =
			symbols_find(pprof->symbols, stack, i);

		if (!symbols_is_shown(place, i))
			continue;
		pprof_place(pprof, place);
		pprof->location[depth++] = place->id;
	}
	protobuf_clear(&pprof->part);
	protobuf_list(&pprof->part, SAMPLE_LOCATIONS, pprof->location, depth);
	protobuf_list(&pprof->part, SAMPLE_VALUES, value,
		      has_events(pprof->samples) ? 2 : 1);
	put_label(pprof, "region", path, 0);
	if (stack->label)
		put_label(pprof, "label", "", stack->label);
	protobuf_message(&pprof->to, PROFILE_SAMPLE, &pprof->part);
}

/*
 * Writes the samples of a row. The samples without a stack are written
 * together, as one sample without locations.
 */
static void put_row(struct pprof *pprof, int32_t row, size_t *at)
{
	const struct selfmon_samples *const samples = pprof->samples;
	struct selfmon_sampled_stack rest = {
		.row = row,
		.count = row < 0 ? samples->outside
				 : pprof->report->row[row].samples
	};
	char *const path = path_of(pprof->report, row);

	if (!path)
		pprof->failed = true;
	for (; *at < samples->stacks && samples->stack[*at].row == row; ++*at) {
		const struct selfmon_sampled_stack *const stack =
			&samples->stack[*at];

		if (path)
			put_sample(pprof, path, stack);
		rest.count -= stack->count < rest.count ? stack->count
							: rest.count;
	}
	if (path && rest.count)
		put_sample(pprof, path, &rest);
	free(path);
}

/* ---- the profile --------------------------------------------------------- */

static uint64_t time_of(const char *when)
{
	struct tm date = { .tm_isdst = 0 };

	if (!strptime(when, "%Y-%m-%dT%H:%M:%SZ", &date))
		return 0;
	return (uint64_t)timegm(&date) * 1000000000;
}

static void put_profile(struct pprof *pprof)
{
	const struct selfmon_report *const report = pprof->report;
	size_t at = 0, i;
	int32_t row;

	protobuf_bytes(&pprof->strings, PROFILE_STRING, "", 0);
	put_type(pprof, PROFILE_SAMPLE_TYPE, "samples", "count");
	if (has_events(pprof->samples))
		put_event_type(pprof, PROFILE_SAMPLE_TYPE);
	for (row = -1; row < (int32_t)report->rows; row++)
		put_row(pprof, row, &at);
	for (i = 0; i < pprof->samples->modules; i++)
		pprof_mapping(pprof, i);
	protobuf_number(&pprof->to, PROFILE_TIME, time_of(report->when));
	if (isfinite(report->elapsed_ns) && report->elapsed_ns > 0)
		protobuf_number(&pprof->to, PROFILE_DURATION,
				(uint64_t)report->elapsed_ns);
	put_event_type(pprof, PROFILE_PERIOD_TYPE);
	protobuf_number(&pprof->to, PROFILE_PERIOD, pprof->samples->period);
}

static void free_all(struct pprof *pprof)
{
	pprof_tables_free(pprof);
	protobuf_free(&pprof->to);
	protobuf_free(&pprof->part);
	protobuf_free(&pprof->inner);
	free(pprof->location);
}

static size_t deepest(const struct selfmon_samples *samples)
{
	size_t most = 0, i;

	for (i = 0; i < samples->stacks; i++)
		if (most < samples->stack[i].depth)
			most = samples->stack[i].depth;
	return most;
}

int report_pprof(const struct selfmon_report *report, const char *path,
		 struct symbols *symbols, FILE *to)
{
	struct pprof pprof = { .report = report,
			       .samples = report->samples,
			       .symbols = symbols };
	int status = 0;

	pprof.limit = calloc(report->samples->modules + 1,
			     sizeof(*pprof.limit));
	pprof.location = calloc(deepest(report->samples) + 1,
				sizeof(*pprof.location));
	if (pprof.limit && pprof.location)
		put_profile(&pprof);
	if (!pprof.limit || !pprof.location || pprof.failed ||
	    pprof.to.failed || pprof.strings.failed ||
	    symbols_failed(symbols)) {
		status = tool_fail("report", "%s: no memory", path);
	} else {
		fwrite(pprof.to.byte, 1, pprof.to.size, to);
		fwrite(pprof.strings.byte, 1, pprof.strings.size, to);
	}
	free_all(&pprof);
	return status;
}
