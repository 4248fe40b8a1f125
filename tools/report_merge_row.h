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
	/* For each row of the file: its row in the merged report. */
	int32_t *place;
	size_t column[SELFMON_MAX_COUNTERS]; /* by column of the file */
	size_t unit[SELFMON_MAX_UNITS];	     /* by unit of the file */
	size_t row;			     /* the file's row being added */
	bool whole; /* the file counted every event that any file counted */
	int status;
};

/* Reports the first failure: sets status, with a message that names the row. */
void report_merging_fail(struct report_merging *merge, const char *key,
			 const char *why);
void report_merging_no_memory(struct report_merging *merge);
/* Adds n to a sum. A sum that does not fit is a failure that names the key. */
void report_merge_add(struct report_merging *merge, const char *key,
		      uint64_t *to, uint64_t n);
/* Adds the time, counters and units of the file's row i to merged row at. */
void report_merge_values(struct report_merging *merge, size_t at, size_t i);

#endif
