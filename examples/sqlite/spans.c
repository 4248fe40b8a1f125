/* SPDX-License-Identifier: MIT */
/*
 * The table selfmon_spans: how long statements took, whichever thread ended
 * them. It has a row for each name. The values are those of the whole process,
 * at the time when a statement begins to read the table.
 */
#include "selfmon_sqlite.h"

#include <stdint.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

enum span_column {
	SPAN_NAME,
	SPAN_ENDED,
	SPAN_OPEN,
	SPAN_ELSEWHERE,
	SPAN_TOTAL_NS,
	SPAN_P50_NS,
	SPAN_P90_NS,
	SPAN_P99_NS,
	SPAN_MAX_NS,
	SPAN_ROWS
};

#define SPAN_TABLE                                                             \
	"CREATE TABLE selfmon_spans(name TEXT, ended INT, open INT, "          \
	"elsewhere INT, total_ns INT, p50_ns INT, p90_ns INT, p99_ns INT, "    \
	"max_ns INT, rows INT)"

struct span_cursor {
	sqlite3_vtab_cursor base;
	struct selfmon_report *report;
	size_t row;
};

/*
 * Returns the cursor's row, or NULL after the last row or if there are no
 * spans.
 */
static const struct selfmon_row *row_of(const struct span_cursor *cursor)
{
	const struct selfmon_report *const spans =
		selfmon_report_async(cursor->report);

	return spans ? selfmon_report_row(spans, cursor->row) : NULL;
}

static int attach_spans(sqlite3 *database, void *context, int argc,
			const char *const *argv, sqlite3_vtab **table,
			char **message)
{
	const int result = sqlite3_declare_vtab(database, SPAN_TABLE);

	(void)context;
	(void)argc;
	(void)argv;
	(void)message;
	if (result != SQLITE_OK)
		return result;
	*table = sqlite3_malloc(sizeof(**table));
	if (!*table)
		return SQLITE_NOMEM;
	memset(*table, 0, sizeof(**table));
	return SQLITE_OK;
}

static int detach_spans(sqlite3_vtab *table)
{
	sqlite3_free(table);
	return SQLITE_OK;
}

static int plan_spans(sqlite3_vtab *table, sqlite3_index_info *info)
{
	(void)table;
	info->estimatedRows = 100;
	info->estimatedCost = 100;
	return SQLITE_OK;
}

static int open_spans(sqlite3_vtab *table, sqlite3_vtab_cursor **base)
{
	struct span_cursor *const cursor = sqlite3_malloc(sizeof(*cursor));

	(void)table;
	if (!cursor)
		return SQLITE_NOMEM;
	memset(cursor, 0, sizeof(*cursor));
	*base = &cursor->base;
	return SQLITE_OK;
}

static int close_spans(sqlite3_vtab_cursor *base)
{
	selfmon_report_free(((struct span_cursor *)base)->report);
	sqlite3_free(base);
	return SQLITE_OK;
}

static int rewind_spans(sqlite3_vtab_cursor *base, int index, const char *name,
			int argc, sqlite3_value **argv)
{
	struct span_cursor *const cursor = (struct span_cursor *)base;

	(void)index;
	(void)name;
	(void)argc;
	(void)argv;
	cursor->row = 0;
	selfmon_report_free(cursor->report);
	return selfmon_report_take(&cursor->report) ? SQLITE_NOMEM : SQLITE_OK;
}

static int next_span(sqlite3_vtab_cursor *base)
{
	((struct span_cursor *)base)->row++;
	return SQLITE_OK;
}

static int at_last_span(sqlite3_vtab_cursor *base)
{
	return !row_of((const struct span_cursor *)base);
}

/* Times and rows are NULL until the first span of a name has ended. */
static int span_value(sqlite3_vtab_cursor *base, sqlite3_context *context,
		      int column)
{
	const struct selfmon_row *const row =
		row_of((const struct span_cursor *)base);
	const uint64_t value[] = {
		[SPAN_ENDED] = row->visits,
		[SPAN_OPEN] = row->open,
		[SPAN_ELSEWHERE] = row->elsewhere,
		[SPAN_TOTAL_NS] = row->time.sum,
		[SPAN_P50_NS] = row->p50_ns,
		[SPAN_P90_NS] = row->p90_ns,
		[SPAN_P99_NS] = row->p99_ns,
		[SPAN_MAX_NS] = row->time.max,
		[SPAN_ROWS] = row->items,
	};

	if (column == SPAN_NAME)
		sqlite3_result_text(context, row->name, -1, SQLITE_TRANSIENT);
	else if (column < SPAN_TOTAL_NS || row->visits)
		sqlite3_result_int64(context, (sqlite3_int64)value[column]);
	return SQLITE_OK;
}

static int span_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
	*rowid = (sqlite3_int64)((const struct span_cursor *)base)->row;
	return SQLITE_OK;
}

const sqlite3_module spans_module = {
	.xConnect = attach_spans,
	.xBestIndex = plan_spans,
	.xDisconnect = detach_spans,
	.xOpen = open_spans,
	.xClose = close_spans,
	.xFilter = rewind_spans,
	.xNext = next_span,
	.xEof = at_last_span,
	.xColumn = span_value,
	.xRowid = span_rowid,
};
