/* SPDX-License-Identifier: MIT */
/*
 * The table selfmon_regions: a row for each region at each place of the call
 * tree. The values are those of the whole process, at the time when a statement
 * begins to read the table. Uncounted values are NULL, and each quantity has
 * its verdict.
 */
#include "selfmon_sqlite.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

/* ---- columns ------------------------------------------------------------- */

enum column {
	COLUMN_NAME,
	COLUMN_DEPTH,
	COLUMN_PARENT,
	COLUMN_VISITS,
	COLUMN_MEASURED,
	COLUMN_OPEN,
	COLUMN_CUT_OFF,
	COLUMN_OVERLAPPED,
	COLUMN_TOTAL_NS,
	COLUMN_SELF_NS,
	COLUMN_NOISE_NS,
	COLUMN_MIN_NS,
	COLUMN_MAX_NS,
	COLUMN_P50_NS,
	COLUMN_P90_NS,
	COLUMN_P99_NS,
	COLUMN_VERDICT,
	COLUMN_ROWS,
	COLUMN_ROWS_MAX,
	COLUMN_VM_STEPS,
	COLUMN_COUNTERS /* a value and a verdict for each counter */
};

#define COLUMNS                                                                \
	"name TEXT, depth INT, parent INT, visits INT, measured INT, "         \
	"open INT, cut_off INT, overlapped INT, total_ns INT, self_ns INT, "   \
	"noise_ns INT, min_ns INT, max_ns INT, p50_ns INT, p90_ns INT, "       \
	"p99_ns INT, verdict TEXT, rows INT, rows_max INT, vm_steps INT"

struct cursor {
	sqlite3_vtab_cursor base;
	struct selfmon_report *report;
	size_t row;
};

static void result_rounded(sqlite3_context *context, double value)
{
	sqlite3_result_int64(context, (sqlite3_int64)(value < 0 ? value - 0.5
								: value + 0.5));
}

static void result_verdict(sqlite3_context *context,
			   enum selfmon_verdict verdict)
{
	sqlite3_result_text(context, selfmon_verdict_name(verdict), -1,
			    SQLITE_STATIC);
}

/* Sets the columns that all regions have, measured or not. */
static bool result_of_region(sqlite3_context *context, int column,
			     const struct selfmon_row *row)
{
	switch (column) {
	case COLUMN_NAME:
		sqlite3_result_text(context, row->name, -1, SQLITE_TRANSIENT);
		return true;
	case COLUMN_DEPTH:
		sqlite3_result_int64(context, row->depth);
		return true;
	case COLUMN_PARENT:
		if (row->parent >= 0)
			sqlite3_result_int64(context, row->parent);
		return true;
	case COLUMN_VISITS:
		sqlite3_result_int64(context, (sqlite3_int64)row->visits);
		return true;
	case COLUMN_MEASURED:
		sqlite3_result_int64(context, (sqlite3_int64)row->measured);
		return true;
	case COLUMN_OPEN:
		sqlite3_result_int64(context, (sqlite3_int64)row->open);
		return true;
	case COLUMN_CUT_OFF:
		sqlite3_result_int64(context, (sqlite3_int64)row->cut_off);
		return true;
	case COLUMN_OVERLAPPED:
		sqlite3_result_int64(context, (sqlite3_int64)row->overlapped);
		return true;
	case COLUMN_VERDICT:
		result_verdict(context, row->time.verdict);
		return true;
	default:
		return false;
	}
}

/*
 * Sets the time. A column without a value is NULL, which is SQLite's default.
 */
static void result_of_time(sqlite3_context *context, int column,
			   const struct selfmon_row *row)
{
	const struct selfmon_quantity *const time = &row->time;

	if (time->verdict == SELFMON_NOT_COUNTED || time->visits == 0)
		return;
	switch (column) {
	case COLUMN_TOTAL_NS:
		result_rounded(context, time->net);
		break;
	case COLUMN_SELF_NS:
		if (row->exclusive_valid)
			result_rounded(context, time->net_exclusive);
		break;
	case COLUMN_NOISE_NS:
		result_rounded(context, time->noise);
		break;
	case COLUMN_MIN_NS:
		sqlite3_result_int64(context, (sqlite3_int64)time->min);
		break;
	case COLUMN_MAX_NS:
		sqlite3_result_int64(context, (sqlite3_int64)time->max);
		break;
	case COLUMN_P50_NS:
		sqlite3_result_int64(context, (sqlite3_int64)row->p50_ns);
		break;
	case COLUMN_P90_NS:
		sqlite3_result_int64(context, (sqlite3_int64)row->p90_ns);
		break;
	case COLUMN_P99_NS:
		sqlite3_result_int64(context, (sqlite3_int64)row->p99_ns);
		break;
	}
}

/*
 * Sets a unit's sum or, for rows_max, its highest count of a visit. The result
 * is 0 if no statement has counted the unit yet.
 */
static void result_of_unit(sqlite3_context *context, int column,
			   const struct selfmon_report *report, size_t row)
{
	const char *const name = column == COLUMN_VM_STEPS ? "vm-steps"
							   : "rows";
	struct selfmon_report_unit unit = { .size = sizeof(unit) };
	size_t i;

	for (i = 0; selfmon_report_unit(report, row, i, &unit) == 0; i++) {
		if (strcmp(unit.name, name) != 0)
			continue;
		sqlite3_result_int64(context,
				     (sqlite3_int64)(column == COLUMN_ROWS_MAX &&
								     unit.visits
							     ? unit.max
							     : unit.sum));
		return;
	}
	sqlite3_result_int64(context, 0);
}

static int column_of(sqlite3_vtab_cursor *base, sqlite3_context *context,
		     int column)
{
	const struct cursor *const cursor = (const struct cursor *)base;
	const struct selfmon_row *const row =
		selfmon_report_row(cursor->report, cursor->row);
	const struct selfmon_quantity *counter;

	if (column >= COLUMN_ROWS && column < COLUMN_COUNTERS) {
		result_of_unit(context, column, cursor->report, cursor->row);
		return SQLITE_OK;
	}
	if (column < COLUMN_COUNTERS) {
		if (!result_of_region(context, column, row))
			result_of_time(context, column, row);
		return SQLITE_OK;
	}
	counter = &row->counter[(column - COLUMN_COUNTERS) / 2];
	if ((column - COLUMN_COUNTERS) % 2)
		result_verdict(context, counter->verdict);
	else if (counter->verdict != SELFMON_NOT_COUNTED && counter->visits)
		result_rounded(context, counter->net);
	return SQLITE_OK;
}

/* ---- the table ----------------------------------------------------------- */

/*
 * Declares the table's columns. The events are known by now and do not change.
 */
static int declare(sqlite3 *database, const struct selfmon_report *report)
{
	sqlite3_str *const text = sqlite3_str_new(database);
	const char *name;
	char *whole;
	size_t i;
	int result;

	sqlite3_str_appendall(text, "CREATE TABLE selfmon_regions(" COLUMNS);
	for (i = 0; (name = selfmon_report_column(report, i)) != NULL; i++)
		sqlite3_str_appendf(text, ", \"%w\" INT, \"%w verdict\" TEXT",
				    name, name);
	sqlite3_str_appendall(text, ")");
	whole = sqlite3_str_finish(text);
	if (!whole)
		return SQLITE_NOMEM;
	result = sqlite3_declare_vtab(database, whole);
	sqlite3_free(whole);
	return result;
}

static int attach(sqlite3 *database, void *context, int argc,
		  const char *const *argv, sqlite3_vtab **table,
		  char **message)
{
	struct selfmon_report *report;
	int result;

	(void)context;
	(void)argc;
	(void)argv;
	(void)message;
	if (selfmon_report_take(&report) != 0)
		return SQLITE_NOMEM;
	result = declare(database, report);
	selfmon_report_free(report);
	if (result != SQLITE_OK)
		return result;
	*table = sqlite3_malloc(sizeof(**table));
	if (!*table)
		return SQLITE_NOMEM;
	memset(*table, 0, sizeof(**table));
	return SQLITE_OK;
}

static int detach(sqlite3_vtab *table)
{
	sqlite3_free(table);
	return SQLITE_OK;
}

/* There is no index: every query reads the whole table. */
static int plan(sqlite3_vtab *table, sqlite3_index_info *info)
{
	(void)table;
	info->estimatedRows = 100;
	info->estimatedCost = 100;
	return SQLITE_OK;
}

/* ---- a cursor ------------------------------------------------------------ */

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **base)
{
	struct cursor *const cursor = sqlite3_malloc(sizeof(*cursor));

	(void)table;
	if (!cursor)
		return SQLITE_NOMEM;
	memset(cursor, 0, sizeof(*cursor));
	*base = &cursor->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	selfmon_report_free(((struct cursor *)base)->report);
	sqlite3_free(base);
	return SQLITE_OK;
}

static int rewind_cursor(sqlite3_vtab_cursor *base, int index,
			 const char *name, int argc, sqlite3_value **argv)
{
	struct cursor *const cursor = (struct cursor *)base;

	(void)index;
	(void)name;
	(void)argc;
	(void)argv;
	cursor->row = 0;
	selfmon_report_free(cursor->report);
	return selfmon_report_take(&cursor->report) ? SQLITE_NOMEM : SQLITE_OK;
}

static int next_row(sqlite3_vtab_cursor *base)
{
	((struct cursor *)base)->row++;
	return SQLITE_OK;
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
	const struct cursor *const cursor = (const struct cursor *)base;

	return cursor->row >= selfmon_report_row_count(cursor->report);
}

static int rowid_of(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
	*rowid = (sqlite3_int64)((const struct cursor *)base)->row;
	return SQLITE_OK;
}

/* Without a create function, the table exists only under the module's name. */
const sqlite3_module regions_module = {
	.xConnect = attach,
	.xBestIndex = plan,
	.xDisconnect = detach,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = rewind_cursor,
	.xNext = next_row,
	.xEof = is_at_end,
	.xColumn = column_of,
	.xRowid = rowid_of,
};
