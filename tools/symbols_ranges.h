/* SPDX-License-Identifier: MIT */
/* Ranges of addresses. A range is found by an address in it. */
#ifndef SELFMON_TOOLS_SYMBOLS_RANGES_H
#define SELFMON_TOOLS_SYMBOLS_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbols_range {
	uint64_t low, high;
	uint64_t furthest; /* highest end of this range and of all before it */
	size_t index;	   /* of what it belongs to */
};

struct symbols_ranges {
	size_t count, room;
	struct symbols_range *range;
};

/* Returns the list with room for one more element, or NULL without memory. */
void *symbols_with_room(void *list, size_t *room, size_t count, size_t size);

/* Returns false without memory. Skips an empty range. */
bool symbols_ranges_add(struct symbols_ranges *ranges, uint64_t low,
			uint64_t high, size_t index);
/* Call it after the last range is added. */
void symbols_ranges_sort(struct symbols_ranges *ranges);
/*
 * Of the ranges that contain an address, returns the one with the highest
 * start, and of several such ranges the one with the highest index. Returns
 * NULL if there is none.
 */
const struct symbols_range *
symbols_ranges_find(const struct symbols_ranges *ranges, uint64_t address);

#endif
