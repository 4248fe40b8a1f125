/* SPDX-License-Identifier: MIT */
#include "report_merge_place.h"

#include <stdlib.h>
#include <string.h>

#include "report/model.h"

bool report_places_make(struct report_places *places,
			const struct selfmon_report *of, size_t rows)
{
	places->report = of;
	for (places->room = 4; places->room < 2 * rows; places->room *= 2)
		;
	places->slot = calloc(places->room, sizeof(*places->slot));
	return places->slot != NULL;
}

static size_t hash_of(int32_t parent, const struct selfmon_row *row)
{
	uint64_t hash = (uint64_t)(uint32_t)parent << 32 | row->line;
	const char *s;

	for (s = row->name; *s; s++)
		hash = (hash ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
	for (s = row->file; *s; s++)
		hash = (hash ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
	return (size_t)(hash ^ hash >> 29);
}

static bool is_same(const struct selfmon_row *a, int32_t parent,
		    const struct selfmon_row *b)
{
	return a->parent == parent && a->line == b->line &&
	       !strcmp(a->name, b->name) && !strcmp(a->file, b->file);
}

uint32_t *report_place(const struct report_places *places, int32_t parent,
		       const struct selfmon_row *row)
{
	const struct selfmon_row *const rows = places->report->row;
	size_t k = hash_of(parent, row) & (places->room - 1);

	for (; places->slot[k]; k = (k + 1) & (places->room - 1))
		if (is_same(&rows[places->slot[k] - 1], parent, row))
			break;
	return &places->slot[k];
}
