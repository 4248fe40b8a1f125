/* SPDX-License-Identifier: MIT */
#include "pprof_tables.h"

#include <stdlib.h>
#include <string.h>

/* Field numbers of the messages in profile.proto. */
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

static bool is_text(const void *thing, const void *key)
{
	return !strcmp(((const struct text *)thing)->text, key);
}

uint64_t pprof_string(struct pprof *pprof, const char *text)
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

/*
 * Returns true if this id was passed before, or if out of memory. Ids are
 * small, so the array has an element for each id up to the largest one.
 */
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

static void put_function(struct pprof *pprof,
			 const struct symbol_function *function)
{
	struct protobuf *const part = &pprof->part;

	if (is_done(pprof, &pprof->function, &pprof->functions, function->id))
		return;
	protobuf_clear(part);
	protobuf_number(part, FUNCTION_ID, function->id);
	protobuf_number(part, FUNCTION_NAME,
			pprof_string(pprof, function->name));
	protobuf_number(part, FUNCTION_LINKAGE,
			pprof_string(pprof, function->linkage));
	protobuf_number(part, FUNCTION_FILE,
			pprof_string(pprof, function->file));
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

void pprof_place(struct pprof *pprof, const struct symbol_place *place)
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

void pprof_mapping(struct pprof *pprof, size_t i)
{
	const struct selfmon_sampled_module *const module =
		&pprof->samples->module[i];
	const bool known = !symbols_why(pprof->symbols, (int32_t)i);
	struct protobuf *const part = &pprof->part;

	protobuf_clear(part);
	protobuf_number(part, MAPPING_ID, i + 1);
	protobuf_number(part, MAPPING_LIMIT,
			(pprof->limit[i] + PAGE) / PAGE * PAGE);
	protobuf_number(part, MAPPING_FILE, pprof_string(pprof, module->path));
	protobuf_number(part, MAPPING_BUILD_ID,
			pprof_string(pprof, module->build_id));
	protobuf_number(part, MAPPING_HAS_FUNCTIONS, known);
	protobuf_number(part, MAPPING_HAS_FILES, known);
	protobuf_number(part, MAPPING_HAS_LINES, known);
	protobuf_number(part, MAPPING_HAS_INLINED, known);
	protobuf_message(&pprof->to, PROFILE_MAPPING, part);
}

void pprof_tables_free(struct pprof *pprof)
{
	size_t i;

	for (i = 0; i < pprof->text.room; i++)
		free(pprof->text.slot[i].thing);
	free(pprof->text.slot);
	protobuf_free(&pprof->strings);
	free(pprof->place);
	free(pprof->function);
	free(pprof->limit);
}
