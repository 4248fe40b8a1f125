/* SPDX-License-Identifier: MIT */
/*
 * Looks up the addresses of a report's samples, each of them once. A module is
 * opened when the first of its addresses is looked up.
 */
#define _GNU_SOURCE
#include "symbols.h"

#include <stdlib.h>
#include <string.h>

#include "symbols_demangle.h"
#include "symbols_elf.h"
#include "symbols_map.h"
#include "symbols_module.h"
#include "symbols_name.h"
#include "symbols_table.h"
#include "tool.h"

struct module {
	bool tried;
	struct symbols_elf *elf;
	char *why; /* why there are no symbols, or NULL */
};

struct symbols {
	const struct selfmon_samples *samples;
	int32_t pid; /* 0: samples of several processes */
	bool failed, map_tried;
	/* some samples are in code made at run time, which has no file */
	bool made;
	struct symbols_map *map;
	char map_why[SYMBOLS_MAP_WHY_SIZE];
	struct module *module;
	struct symbols_table text, function, place;
};

struct wanted {
	int32_t module;
	bool returned;
	uint64_t address; /* as in the stack */
};

struct place {
	struct symbol_place public;
	struct wanted wanted;
	struct symbol_frame frame[];
};

static bool debuginfod;

void symbols_use_debuginfod(void)
{
	debuginfod = true;
}

struct symbols *symbols_open(const struct selfmon_report *report)
{
	struct symbols *const symbols = calloc(1, sizeof(*symbols));

	if (!symbols)
		return NULL;
	symbols_elf_network(debuginfod);
	symbols->samples = report->samples;
	symbols->pid = report->pid;
	if (report->processes)
		symbols->pid = report->processes == 1 ? report->process[0].pid
						      : 0;
	symbols->module = calloc(report->samples->modules + 1,
				 sizeof(*symbols->module));
	if (symbols->module)
		return symbols;
	free(symbols);
	return NULL;
}

static void free_table(struct symbols_table *table)
{
	size_t i;

	for (i = 0; i < table->room; i++)
		free(table->slot[i].thing);
	free(table->slot);
}

void symbols_close(struct symbols *symbols)
{
	size_t i;

	if (!symbols)
		return;
	for (i = 0; i < symbols->samples->modules; i++) {
		symbols_elf_close(symbols->module[i].elf);
		free(symbols->module[i].why);
	}
	free(symbols->module);
	symbols_map_close(symbols->map);
	free_table(&symbols->text);
	free_table(&symbols->function);
	free_table(&symbols->place);
	free(symbols);
}

bool symbols_failed(const struct symbols *symbols)
{
	return symbols->failed;
}

/* ---- texts and functions ------------------------------------------------- */

static bool is_text(const void *thing, const void *key)
{
	return !strcmp(thing, key);
}

/* Returns the stored copy of a text, or "" if out of memory. */
static const char *keep_text(struct symbols *symbols, const char *text)
{
	struct symbols_slot *slot;

	if (!text || !*text)
		return "";
	slot = symbols_table_find(&symbols->text,
				  symbols_hash_text(SYMBOLS_HASH, text), text,
				  is_text);
	if (slot && !slot->thing && (slot->thing = strdup(text)))
		symbols->text.count++;
	if (slot && slot->thing)
		return slot->thing;
	symbols->failed = true;
	return "";
}

static bool is_function(const void *thing, const void *key)
{
	const struct symbol_function *const a = thing, *const b = key;

	return a->module == b->module && a->linkage == b->linkage &&
	       a->file == b->file && a->line == b->line;
}

/*
 * Returns the stored copy of a function, or NULL if out of memory. The texts of
 * `like` must be stored copies already.
 */
static const struct symbol_function *
keep_function(struct symbols *symbols, const struct symbol_function *like)
{
	uint64_t hash = symbols_hash_text(SYMBOLS_HASH, like->linkage);
	struct symbol_function *made;
	struct symbols_slot *slot;

	hash = symbols_hash_number(hash, (uint64_t)like->module);
	hash = symbols_hash_number(hash, like->line);
	slot = symbols_table_find(&symbols->function, hash, like, is_function);
	if (slot && slot->thing)
		return slot->thing;
	made = slot ? malloc(sizeof(*made)) : NULL;
	if (!made) {
		symbols->failed = true;
		return NULL;
	}
	*made = *like;
	made->id = (uint32_t)++symbols->function.count;
	slot->thing = made;
	return made;
}

static const char *name_unknown(struct symbols *symbols,
				const struct wanted *wanted)
{
	const unsigned long long address = wanted->address;
	const char *kept;
	char *name = NULL;

	if ((wanted->module < 0
		     ? asprintf(&name, "0x%llx", address)
		     : asprintf(&name, "%s+0x%llx",
				symbols_short_name(
					symbols->samples
						->module[wanted->module]
						.path),
				address)) < 0) {
		symbols->failed = true;
		return "";
	}
	kept = keep_text(symbols, name);
	free(name);
	return kept;
}

/* ---- look-ups ------------------------------------------------------------ */

static struct symbols_elf *elf_of(struct symbols *symbols, int32_t i)
{
	struct module *const module = &symbols->module[i];

	if (!module->tried) {
		module->tried = true;
		module->elf = symbols_module_open(&symbols->samples->module[i],
						  &module->why);
	}
	return module->elf;
}

static const char *find_in_map(struct symbols *symbols, uint64_t address)
{
	if (!symbols->map_tried) {
		symbols->map_tried = true;
		if (symbols->pid)
			symbols->map = symbols_map_open(symbols->pid,
							symbols->map_why);
		else
			strcpy(symbols->map_why,
			       "code made at run time, of several processes");
	}
	return symbols_map_find(symbols->map, address);
}

static size_t look_up(struct symbols *symbols, const struct wanted *wanted,
		      struct symbols_raw raw[SYMBOLS_INLINED])
{
	const uint64_t address =
		wanted->address - (wanted->returned && wanted->address);
	struct symbols_elf *elf;

	raw[0] = (struct symbols_raw){ .name = NULL };
	if (wanted->module < 0) {
		symbols->made = symbols->made || !wanted->returned;
		raw[0].name = find_in_map(symbols, address);
		return 1;
	}
	elf = elf_of(symbols, wanted->module);
	return elf ? symbols_elf_find(elf, address, raw) : 1;
}

static const struct symbol_function *
make_function(struct symbols *symbols, const struct wanted *wanted,
	      const struct symbols_raw *raw)
{
	char *const plain = raw->name ? symbols_demangle(raw->name) : NULL;
	struct symbol_function function = { .module = wanted->module,
					    .known = raw->name != NULL,
					    .line = raw->declared_line };

	function.file = keep_text(symbols, raw->declared_file);
	function.linkage = raw->name ? keep_text(symbols, raw->name)
				     : name_unknown(symbols, wanted);
	function.name = plain ? keep_text(symbols, plain) : function.linkage;
	free(plain);
	return keep_function(symbols, &function);
}

static struct place *make_place(struct symbols *symbols,
				const struct wanted *wanted)
{
	struct symbols_raw raw[SYMBOLS_INLINED];
	const size_t count = look_up(symbols, wanted, raw);
	struct place *const place =
		malloc(sizeof(*place) + count * sizeof(*place->frame));
	size_t i;

	if (!place)
		return NULL;
	place->wanted = *wanted;
	place->public = (struct symbol_place){
		.id = (uint32_t)symbols->place.count + 1,
		.module = wanted->module,
		.address = wanted->address -
			   (wanted->returned && wanted->address),
		.frames = count,
		.frame = place->frame,
	};
	for (i = 0; i < count; i++) {
		place->frame[i].function =
			make_function(symbols, wanted, &raw[i]);
		place->frame[i].file = keep_text(symbols, raw[i].file);
		place->frame[i].line = raw[i].line;
		if (!place->frame[i].function)
			place->public.frames = 0;
	}
	return place;
}

int32_t symbols_module_of(const struct selfmon_samples *samples,
			  const struct selfmon_address *address)
{
	size_t i;

	for (i = 0; i < samples->modules; i++)
		if (samples->module[i].path == address->module)
			return (int32_t)i;
	return -1;
}

static bool is_place(const void *thing, const void *key)
{
	const struct place *const place = thing;
	const struct wanted *const wanted = key;

	return place->wanted.address == wanted->address &&
	       place->wanted.module == wanted->module &&
	       place->wanted.returned == wanted->returned;
}

const struct symbol_place *
symbols_find(struct symbols *symbols, const struct selfmon_sampled_stack *stack,
	     uint32_t i)
{
	static const struct symbol_place none;
	const struct selfmon_address *const address = &stack->address[i];
	const struct wanted wanted = {
		symbols_module_of(symbols->samples, address), i > 0,
		address->address
	};
	uint64_t hash = symbols_hash_number(SYMBOLS_HASH, wanted.address);
	struct symbols_slot *slot;

	hash = symbols_hash_number(hash, (uint64_t)wanted.module * 2 +
						 wanted.returned);
	slot = symbols_table_find(&symbols->place, hash, &wanted, is_place);
	if (slot && !slot->thing &&
	    (slot->thing = make_place(symbols, &wanted)))
		symbols->place.count++;
	if (slot && slot->thing)
		return &((const struct place *)slot->thing)->public;
	symbols->failed = true;
	return &none;
}

/* ---- reasons ------------------------------------------------------------- */

const char *symbols_why(const struct symbols *symbols, int32_t module)
{
	if (module >= 0)
		return symbols->module[module].why;
	return symbols->map_why[0] ? symbols->map_why : NULL;
}

void symbols_complain(const struct symbols *symbols)
{
	size_t i;

	if (!symbols_elf_exists())
		tool_line(stderr, "selfmon report: no symbols: "
			  SYMBOLS_WITHOUT);
	for (i = 0; symbols_elf_exists() && i < symbols->samples->modules; i++)
		if (symbols->module[i].why)
			tool_line(stderr, "selfmon report: %s: %s",
				  symbols->samples->module[i].path,
				  symbols->module[i].why);
	if (symbols->made && symbols->map_why[0])
		tool_line(stderr, "selfmon report: %s", symbols->map_why);
}
