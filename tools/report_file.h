/* SPDX-License-Identifier: MIT */
/* Report files: live files and JSON; several of them merged. */
#ifndef SELFMON_TOOLS_REPORT_FILE_H
#define SELFMON_TOOLS_REPORT_FILE_H

#include <selfmon/report.h>

#include "report/errata.h"
#include "report/model.h"

struct report_file {
	const char *path;
	bool threads; /* rows by thread too, if the file has them */
	struct selfmon_report *report;
	/* JSON only: data that the report points to. */
	char **text;
	size_t texts;
	struct selfmon_erratum erratum[SELFMON_ERRATA_MAX];
};

/*
 * Opens a file; its first bytes show the kind. threads: reads a live file by
 * thread too. Returns 0, or TOOL_NO with a message on standard error.
 */
int report_file_open(struct report_file *file, const char *path, bool threads);
void report_file_close(struct report_file *file);

/*
 * report_json.c: parses a text of size bytes, followed by a 0. Returns 0, or
 * TOOL_NO with a message.
 */
int report_json_read(struct report_file *file, const char *text, size_t size);

/*
 * report_merge.c: makes one report of all files; it points into them. Returns
 * 0, or TOOL_NO with a message.
 */
int report_merge(struct report_file *files, size_t count,
		 struct selfmon_report **merged);
/* report_merge_header.c: merges everything above the table. */
int report_merge_header(struct selfmon_report *to,
			struct report_file *files, size_t count);

/* Finds a column by name; the turn-th one if it was requested repeatedly. */
#define REPORT_NO_COLUMN SELFMON_MAX_COUNTERS
size_t report_column_find(const struct selfmon_report *report,
			  const struct selfmon_report *of, size_t column);

/* Numbers of a row that are summed. */
struct report_fact {
	const char *key;
	size_t offset; /* of an uint64_t in struct selfmon_row */
};
#define REPORT_FACTS 26
#define REPORT_FACTS_REGION 17 /* those that each region has */
#define REPORT_FACTS_SPAN 18   /* and each span */
extern const struct report_fact report_fact[REPORT_FACTS];
/* Numbers of the header that are summed. */
#define REPORT_COUNTS 16
#define REPORT_COUNTS_FIRST 11 /* those in every report */
extern const struct report_fact report_count[REPORT_COUNTS];

static inline uint64_t *report_fact_of(void *in, const struct report_fact *fact)
{
	return (uint64_t *)(void *)((char *)in + fact->offset);
}

#endif
