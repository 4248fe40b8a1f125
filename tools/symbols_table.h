/* SPDX-License-Identifier: MIT */
/* A hash table of pointers. Objects are never removed. */
#ifndef SELFMON_TOOLS_SYMBOLS_TABLE_H
#define SELFMON_TOOLS_SYMBOLS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbols_table {
	size_t count, room;
	struct symbols_slot {
		uint64_t hash;
		void *thing; /* NULL: empty */
	} *slot;
};

/*
 * Returns the slot of the object that equals a key. If there is none, returns
 * an empty slot: the caller sets it and increments count. Returns NULL if out
 * of memory.
 */
struct symbols_slot *symbols_table_find(struct symbols_table *table,
					uint64_t hash, const void *key,
					bool (*is_same)(const void *thing,
							const void *key));

#define SYMBOLS_HASH UINT64_C(0xcbf29ce484222325)
/* Add a text or a number to a hash. The first hash is SYMBOLS_HASH. */
uint64_t symbols_hash_text(uint64_t hash, const char *text);
uint64_t symbols_hash_number(uint64_t hash, uint64_t number);

#endif
