/* SPDX-License-Identifier: MIT */
#include "symbols_table.h"

#include <stdlib.h>

static struct symbols_slot *probe(const struct symbols_table *table,
				  uint64_t hash, const void *key,
				  bool (*is_same)(const void *thing,
						  const void *key))
{
	size_t k = (size_t)(hash ^ hash >> 29) & (table->room - 1);

	for (; table->slot[k].thing; k = (k + 1) & (table->room - 1))
		if (table->slot[k].hash == hash && is_same &&
		    is_same(table->slot[k].thing, key))
			break;
	return &table->slot[k];
}

static bool grow(struct symbols_table *table)
{
	struct symbols_table to = { .count = table->count,
				    .room = table->room ? 2 * table->room
							: 256 };
	struct symbols_slot *old;
	size_t i;

	to.slot = calloc(to.room, sizeof(*to.slot));
	if (!to.slot)
		return false;
	for (i = 0; i < table->room; i++)
		if (table->slot[i].thing)
			*probe(&to, table->slot[i].hash, NULL, NULL) =
				table->slot[i];
	old = table->slot;
	table->slot = to.slot;
	table->room = to.room;
	free(old);
	return true;
}

struct symbols_slot *symbols_table_find(struct symbols_table *table,
					uint64_t hash, const void *key,
					bool (*is_same)(const void *thing,
							const void *key))
{
	struct symbols_slot *slot;

	if (2 * table->count >= table->room && !grow(table))
		return NULL;
	slot = probe(table, hash, key, is_same);
	slot->hash = hash;
	return slot;
}

/* FNV-1a. */
uint64_t symbols_hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return hash * UINT64_C(0x100000001b3);
}

uint64_t symbols_hash_number(uint64_t hash, uint64_t number)
{
	hash = (hash ^ number) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}
