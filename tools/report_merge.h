/* SPDX-License-Identifier: MIT */
/* Shared by the parts of the merge. */
#ifndef SELFMON_TOOLS_REPORT_MERGE_H
#define SELFMON_TOOLS_REPORT_MERGE_H

#include <stdbool.h>

#include "report_file.h"

/* report_join.c: adds a text to a list, unless it is already there. */
void report_join(char *to, size_t size, const char *between, const char *text);
#define REPORT_JOIN(to, between, text) \
	report_join(to, sizeof(to), between, text)

/*
 * report_merge_place.c: a hash of rows by path. Zero: an empty slot, which the
 * caller sets to the row's index + 1.
 */
struct report_places {
	const struct selfmon_report *report;
	size_t room;
	uint32_t *slot;
};
/* Returns false without memory; the caller frees slot. */
bool report_places_make(struct report_places *places,
			const struct selfmon_report *of, size_t rows);
/* The slot of a row below a parent of the merged report. */
uint32_t *report_place(const struct report_places *places, int32_t parent,
		       const struct selfmon_row *row);

/* report_note.c: adds a note, unless it is already there. */
void report_note(struct selfmon_report *to, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * report_merge_samples.c: call it after the rows are merged. Returns 0, or
 * TOOL_NO with a message.
 */
int report_merge_samples(struct selfmon_report *to,
			 const struct report_file *files, size_t count);

/* report_merge_columns.c: returns 0, or TOOL_NO with a message. */
int report_columns_add(struct selfmon_report *to,
		       const struct report_file *file);
/*
 * Adds to the reason in how many processes the event was not requested, or
 * could not be counted.
 */
void report_column_note(struct selfmon_report *to, size_t column,
			const struct report_file *files, size_t count);

#endif
