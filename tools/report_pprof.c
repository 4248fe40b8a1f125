/* SPDX-License-Identifier: MIT */
/*
 * Writes samples as a message Profile of pprof's profile.proto, uncompressed.
 * Regions are labels of samples. Addresses are those of each module's symbol
 * table, so all mappings begin at 0.
 */
#define _GNU_SOURCE
#include "report_pprof.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "protobuf.h"
#include "symbols_table.h"
#include "tool.h"

/* Fields of the messages, by their numbers in profile.proto. */
enum profile {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_TIME = 9,
	PROFILE_DURATION = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
};
enum value_type { TYPE_TYPE = 1, TYPE_UNIT = 2 };
enum sample { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES = 2, SAMPLE_LABEL = 3 };
enum label { LABEL_KEY = 1, LABEL_TEXT = 2, LABEL_NUMBER = 3 };
enum mapping {
	MAPPING_ID = 1,
	MAPPING_LIMIT = 3,
	MAPPING_FILE = 5,
	MAPPING_BUILD_ID = 6,
	MAPPING_HAS_FUNCTIONS = 7,
	MAPPING_HAS_FILES = 8,
	MAPPING_HAS_LINES = 9,
	MAPPING_HAS_INLINED = 10,
};
enum location {
	LOCATION_ID = 1,
	LOCATION_MAPPING = 2,
	LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4,
};
enum line { LINE_FUNCTION = 1, LINE_NUMBER = 2 };
enum function {
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_LINKAGE = 3,
	FUNCTION_FILE = 4,
	FUNCTION_LINE = 5,
};

#define PAGE 4096

struct text {
	uint64_t id;
	char text[];
};

struct pprof {
	const struct selfmon_report *report;
	const struct selfmon_samples *samples;
	struct symbols *symbols;
	struct protobuf to, part, inner; /* the profile; parts being made */
	struct protobuf strings;
	struct symbols_table text;
	/* By id: written already. */
	bool *place, *function;
	size_t places, functions;
	uint64_t *limit; /* by module: an address above all */
	uint64_t *location;
	bool failed;
};

/* ---- strings ------------------------------------------------------------- */

static bool is_text(const void *thing, const void *key)
{
	return !strcmp(((const struct text *)thing)->text, key);
}

/* Returns the index of a string in the table; 0 is "". */
static uint64_t string_of(struct pprof *pprof, const char *text)
{
	struct symbols_slot *slot;
	struct text *made;

	if (!*text)
		return 0;
	slot = symbols_table_find(&pprof->text,
				  symbols_hash_text(SYMBOLS_HASH, text), text,
				  is_text);
	if (slot && slot->thing)
		return ((const struct text *)slot->thing)->id;
	made = slot ? malloc(sizeof(*made) + strlen(text) + 1) : NULL;
	if (!made) {
		pprof->failed = true;
		return 0;
	}
	strcpy(made->text, text);
	made->id = ++pprof->text.count;
	slot->thing = made;
	protobuf_bytes(&pprof->strings, PROFILE_STRING, text, strlen(text));
	return made->id;
}

/* Returns false the first time; ids rise by little. */
static bool is_done(struct pprof *pprof, bool **done, size_t *room, size_t id)
{
	size_t wanted = *room ? *room : 1024;
	bool *longer;

	while (wanted <= id)
		wanted *= 2;
	if (wanted != *room) {
		longer = realloc(*done, wanted * sizeof(*longer));
		if (!longer) {
			pprof->failed = true;
			return true;
		}
		memset(longer + *room, false, wanted - *room);
		*done = longer;
		*room = wanted;
	}
	if ((*done)[id])
		return true;
	(*done)[id] = true;
	return false;
}

/* ---- places -------------------------------------------------------------- */

static void put_function(struct pprof *pprof,
			 const struct symbol_function *function)
{
	struct protobuf *const part = &pprof->part;

	if (is_done(pprof, &pprof->function, &pprof->functions, function->id))
		return;
	protobuf_clear(part);
	protobuf_number(part, FUNCTION_ID, function->id);
	protobuf_number(part, FUNCTION_NAME, string_of(pprof, function->name));
	protobuf_number(part, FUNCTION_LINKAGE,
			string_of(pprof, function->linkage));
	protobuf_number(part, FUNCTION_FILE, string_of(pprof, function->file));
	protobuf_number(part, FUNCTION_LINE, function->line);
	protobuf_message(&pprof->to, PROFILE_FUNCTION, part);
}

static void put_lines(struct pprof *pprof, const struct symbol_place *place)
{
	size_t i;

	for (i = 0; i < place->frames; i++) {
		protobuf_clear(&pprof->inner);
		protobuf_number(&pprof->inner, LINE_FUNCTION,
				place->frame[i].function->id);
		protobuf_number(&pprof->inner, LINE_NUMBER,
				place->frame[i].line);
		protobuf_message(&pprof->part, LOCATION_LINE, &pprof->inner);
	}
}

static void put_place(struct pprof *pprof, const struct symbol_place *place)
{
	uint64_t *const limit =
		place->module < 0 ? NULL : &pprof->limit[place->module];
	size_t i;

	if (is_done(pprof, &pprof->place, &pprof->places, place->id))
		return;
	for (i = 0; i < place->frames; i++)
		put_function(pprof, place->frame[i].function);
	protobuf_clear(&pprof->part);
	protobuf_number(&pprof->part, LOCATION_ID, place->id);
	protobuf_number(&pprof->part, LOCATION_MAPPING,
			(uint64_t)place->module + 1);
	protobuf_number(&pprof->part, LOCATION_ADDRESS, place->address);
	put_lines(pprof, place);
	protobuf_message(&pprof->to, PROFILE_LOCATION, &pprof->part);
	if (limit && *limit <= place->address)
		*limit = place->address + 1;
}

static void put_mapping(struct pprof *pprof, size_t i)
{
	const struct selfmon_sampled_module *const module =
		&pprof->samples->module[i];
	const bool known = !symbols_why(pprof->symbols, (int32_t)i);
	struct protobuf *const part = &pprof->part;

	protobuf_clear(part);
	protobuf_number(part, MAPPING_ID, i + 1);
	protobuf_number(part, MAPPING_LIMIT,
			(pprof->limit[i] + PAGE) / PAGE * PAGE);
	protobuf_number(part, MAPPING_FILE, string_of(pprof, module->path));
	protobuf_number(part, MAPPING_BUILD_ID,
			string_of(pprof, module->build_id));
	protobuf_number(part, MAPPING_HAS_FUNCTIONS, known);
	protobuf_number(part, MAPPING_HAS_FILES, known);
	protobuf_number(part, MAPPING_HAS_LINES, known);
	protobuf_number(part, MAPPING_HAS_INLINED, known);
	protobuf_message(&pprof->to, PROFILE_MAPPING, part);
}

/* ---- samples ------------------------------------------------------------- */

/* Values: samples, and the events that they stand for if that is known. */
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
	protobuf_number(&pprof->part, TYPE_TYPE, string_of(pprof, type));
	protobuf_number(&pprof->part, TYPE_UNIT, string_of(pprof, unit));
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
	protobuf_number(&pprof->inner, LABEL_KEY, string_of(pprof, key));
	protobuf_number(&pprof->inner, LABEL_TEXT, string_of(pprof, text));
	protobuf_number(&pprof->inner, LABEL_NUMBER, number);
	protobuf_message(&pprof->part, SAMPLE_LABEL, &pprof->inner);
}

/* Writes the names of a row's regions from the top, joined with slashes. */
static void write_path(const struct selfmon_report *report, int32_t row,
		       FILE *to)
{
	if (report->row[row].parent >= 0) {
		write_path(report, report->row[row].parent, to);
		putc('/', to);
	}
	fputs(report->row[row].name, to);
}

/* Returns NULL without memory. */
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
		put_place(pprof, place);
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

/* Samples without a stack are of their region, too. */
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
		put_mapping(pprof, i);
	protobuf_number(&pprof->to, PROFILE_TIME, time_of(report->when));
	if (isfinite(report->elapsed_ns) && report->elapsed_ns > 0)
		protobuf_number(&pprof->to, PROFILE_DURATION,
				(uint64_t)report->elapsed_ns);
	put_event_type(pprof, PROFILE_PERIOD_TYPE);
	protobuf_number(&pprof->to, PROFILE_PERIOD, pprof->samples->period);
}

static void free_all(struct pprof *pprof)
{
	size_t i;

	for (i = 0; i < pprof->text.room; i++)
		free(pprof->text.slot[i].thing);
	free(pprof->text.slot);
	protobuf_free(&pprof->to);
	protobuf_free(&pprof->part);
	protobuf_free(&pprof->inner);
	protobuf_free(&pprof->strings);
	free(pprof->place);
	free(pprof->function);
	free(pprof->limit);
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
