/* SPDX-License-Identifier: MIT */
/* Reports in files: live files and JSON; several of them as one. */
#ifndef SELFMON_TOOLS_REPORT_FILE_H
#define SELFMON_TOOLS_REPORT_FILE_H

#include <selfmon/report.h>

#include "report/errata.h"
#include "report/model.h"

struct report_file {
	const char *path;
	bool threads; /* by thread as well, where the file has that apart */
	struct selfmon_report *report;
	/* Of JSON: what the report points into. */
	char **text;
	size_t texts;
	struct selfmon_erratum erratum[SELFMON_ERRATA_MAX];
};

/*
 * 0 or, with a sentence on standard error, TOOL_NO. Of either kind: which one,
 * the first bytes tell. threads: a live file is read by thread as well.
 */
int report_file_open(struct report_file *file, const char *path, bool threads);
void report_file_close(struct report_file *file);

/*
 * report_json.c: out of a text of so many bytes, and a 0 behind them. 0 or, as
 * above, TOOL_NO.
 */
int report_json_read(struct report_file *file, const char *text, size_t size);

/*
 * report_merge.c: one report of all files, which it points into. 0 or, as
 * above, TOOL_NO.
 */
int report_merge(struct report_file *files, size_t count,
		 struct selfmon_report **merged);
/* report_merge_header.c: the same for everything above the table. */
int report_merge_header(struct selfmon_report *to,
			struct report_file *files, size_t count);

/* Columns by name and, where one was asked for twice, by turn. */
#define REPORT_NO_COLUMN SELFMON_MAX_COUNTERS
size_t report_column_find(const struct selfmon_report *report,
			  const struct selfmon_report *of, size_t column);

/* Numbers of a row that are added. */
struct report_fact {
	const char *key;
	size_t offset; /* of an uint64_t in struct selfmon_row */
};
#define REPORT_FACTS 18
extern const struct report_fact report_fact[REPORT_FACTS];
/* The same of the header. */
#define REPORT_COUNTS 13
#define REPORT_COUNTS_FIRST 12 /* those that each report has */
extern const struct report_fact report_count[REPORT_COUNTS];

static inline uint64_t *report_fact_of(void *in, const struct report_fact *fact)
{
	return (uint64_t *)(void *)((char *)in + fact->offset);
}

#endif
