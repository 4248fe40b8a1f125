/* SPDX-License-Identifier: MIT */
/* Ranges of addresses, found by an address in them. */
#ifndef SELFMON_TOOLS_SYMBOLS_RANGES_H
#define SELFMON_TOOLS_SYMBOLS_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbols_range {
	uint64_t low, high;
	uint64_t furthest; /* highest end of this range and those before */
	size_t index;	   /* of what it belongs to */
};

struct symbols_ranges {
	size_t count, room;
	struct symbols_range *range;
};

/* Returns a list with room for one more element; NULL without memory. */
void *symbols_with_room(void *list, size_t *room, size_t count, size_t size);

/* Returns false without memory. An empty range is left out. */
bool symbols_ranges_add(struct symbols_ranges *ranges, uint64_t low,
			uint64_t high, size_t index);
/* Call it after the last one was added. */
void symbols_ranges_sort(struct symbols_ranges *ranges);
/*
 * Returns the range around an address that starts last, and of those with one
 * start that of the highest index; or NULL.
 */
const struct symbols_range *
symbols_ranges_find(const struct symbols_ranges *ranges, uint64_t address);

#endif
