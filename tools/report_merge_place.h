/* SPDX-License-Identifier: MIT */
/* Finds rows of a merged report by their path. */
#ifndef SELFMON_TOOLS_REPORT_MERGE_PLACE_H
#define SELFMON_TOOLS_REPORT_MERGE_PLACE_H

#include <stdbool.h>

#include <selfmon/report.h>

/*
 * A hash table of rows by path. An empty slot has 0. When the caller adds a
 * row, it sets the slot to the row's index + 1.
 */
struct report_places {
	const struct selfmon_report *report;
	size_t room;
	uint32_t *slot;
};

/* Makes the table. Returns false if out of memory. The caller frees `slot`. */
bool report_places_make(struct report_places *places,
			const struct selfmon_report *of, size_t rows);

/*
 * Returns the slot of the row that has the name, file and line of `row`, below
 * this parent of the merged report. The slot is empty if there is no such row.
 */
uint32_t *report_place(const struct report_places *places, int32_t parent,
		       const struct selfmon_row *row);

#endif
