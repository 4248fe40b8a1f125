/* SPDX-License-Identifier: MIT */
/* Finds the range that contains an address. */
#ifndef SELFMON_TOOLS_SYMBOLS_RANGES_H
#define SELFMON_TOOLS_SYMBOLS_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbols_range {
	uint64_t low, high;
	uint64_t furthest; /* highest end of this range and all before it */
	size_t index;	   /* index of the object to which it belongs */
};

struct symbols_ranges {
	size_t count, room;
	struct symbols_range *range;
};

/* Returns the list with room for one more element, or NULL if out of memory. */
void *symbols_with_room(void *list, size_t *room, size_t count, size_t size);

/* Adds a range, unless it is empty. Returns false if out of memory. */
bool symbols_ranges_add(struct symbols_ranges *ranges, uint64_t low,
			uint64_t high, size_t index);
/* Sorts the ranges. Call this after the last one is added. */
void symbols_ranges_sort(struct symbols_ranges *ranges);
/*
 * Returns the range that contains an address, or NULL. If there are several,
 * returns the one with the highest start, then with the highest index.
 */
const struct symbols_range *
symbols_ranges_find(const struct symbols_ranges *ranges, uint64_t address);

#endif
