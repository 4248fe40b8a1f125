/* SPDX-License-Identifier: MIT */
/* Ranges of addresses, in an array sorted by start. */
#define _GNU_SOURCE
#include "symbols_ranges.h"

#include <stdlib.h>

void *symbols_with_room(void *list, size_t *room, size_t count, size_t size)
{
	const size_t wanted = *room ? 2 * *room : 16;
	void *longer;

	if (count < *room)
		return list;
	longer = reallocarray(list, wanted, size);
	if (longer)
		*room = wanted;
	return longer;
}

bool symbols_ranges_add(struct symbols_ranges *ranges, uint64_t low,
			uint64_t high, size_t index)
{
	struct symbols_range *list;

	if (low >= high)
		return true;
	list = symbols_with_room(ranges->range, &ranges->room, ranges->count,
				 sizeof(*list));
	if (!list)
		return false;
	ranges->range = list;
	list[ranges->count++] = (struct symbols_range){ low, high, high, index };
	return true;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct symbols_range *const x = a, *const y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

void symbols_ranges_sort(struct symbols_ranges *ranges)
{
	struct symbols_range *const range = ranges->range;
	size_t i;

	if (!ranges->count)
		return;
	qsort(range, ranges->count, sizeof(*range), compare_ranges);
	for (i = 1; i < ranges->count; i++)
		if (range[i].furthest < range[i - 1].furthest)
			range[i].furthest = range[i - 1].furthest;
}

const struct symbols_range *
symbols_ranges_find(const struct symbols_ranges *ranges, uint64_t address)
{
	const struct symbols_range *const range = ranges->range;
	size_t low = 0, high = ranges->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (range[middle].low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low && range[low - 1].furthest > address; low--)
		if (range[low - 1].high > address)
			return &range[low - 1];
	return NULL;
}
