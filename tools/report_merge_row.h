/* SPDX-License-Identifier: MIT */
/* Adds the values of a file's row to a row of the merged report. */
#ifndef SELFMON_TOOLS_REPORT_MERGE_ROW_H
#define SELFMON_TOOLS_REPORT_MERGE_ROW_H

#include "report_file.h"
#include "report_merge_place.h"

struct report_merging {
	const struct report_file *file; /* the file being added */
	struct selfmon_report *to;
	struct report_places places;
	/*
	 * For each row, column and unit of the file: its index in the merged
	 * report. place is -1 for rows of threads.
	 */
	int32_t *place;
	size_t column[SELFMON_MAX_COUNTERS];
	size_t unit[SELFMON_MAX_UNITS];
	/* Index of the file's row that is being added. */
	size_t row;
	bool whole; /* this file counted all events of the merged report */
	int status;
};

/*
 * Reports the first error: sets status, and prints a message with the row's
 * index and the key.
 */
void report_merging_fail(struct report_merging *merge, const char *key,
			 const char *why);
void report_merging_no_memory(struct report_merging *merge);
/* Adds n to a sum. If the sum does not fit, reports an error with the key. */
void report_merge_add(struct report_merging *merge, const char *key,
		      uint64_t *to, uint64_t n);
/* Adds time, counters and units of the file's row i to the merged row `at`. */
void report_merge_values(struct report_merging *merge, size_t at, size_t i);

#endif
