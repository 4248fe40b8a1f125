/* SPDX-License-Identifier: MIT */
/*
 * A loadable extension for SQLite. Each run of a statement is a visit of a
 * region, from its first sqlite3_step() to its end or reset, and the table
 * selfmon_regions is the report. See README.md.
 *
 * Each visit counts the rows that it returned and its steps of SQLite's virtual
 * machine, as units of the innermost visit.
 *
 * Statements may overlap, so their visits are spans. Everything of a connection
 * happens under its mutex; no other lock is needed.
 */
#include "selfmon_sqlite.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

SQLITE_EXTENSION_INIT1

#define CACHE_SIZE 64 /* a power of two */
#define CACHE_TEXT 256

/*
 * A running statement, which is measured as a visit and as a detached span. The
 * visit has counters and a place in the call tree, but must end on its thread.
 * The span has only a time, and ends on any thread. A frame must stay at its
 * address.
 */
struct span {
	struct span *next;
	sqlite3_stmt *statement; /* NULL: not in use */
	int steps;		 /* VM steps of the statement's earlier runs */
	struct selfmon_frame frame;
	struct selfmon_async_span elapsed;
};

/* A text, and its region by statement_region(). */
struct cached {
	struct selfmon_region *region;
	char text[CACHE_TEXT];
};

struct connection {
	struct span *spans; /* freed only with the connection */
	struct selfmon_region *again;
	const struct selfmon_unit *rows, *steps;
	struct cached cache[CACHE_SIZE];
};

static struct selfmon_region *region_of(struct connection *connection,
					const char *sql)
{
	uint32_t hash = 2166136261u; /* FNV-1a */
	struct cached *cached;
	size_t length;

	for (length = 0; sql[length] && length < CACHE_TEXT; length++)
		hash = (hash ^ (unsigned char)sql[length]) * 16777619u;
	if (length == CACHE_TEXT)
		return statement_region(sql);
	cached = &connection->cache[(hash ^ hash >> 16) % CACHE_SIZE];
	if (!cached->region || strcmp(cached->text, sql) != 0) {
		cached->region = statement_region(sql);
		memcpy(cached->text, sql, length + 1);
	}
	return cached->region;
}

/* Returns the VM steps of all runs of a statement so far. The number wraps. */
static int steps_of(sqlite3_stmt *statement)
{
	return sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0);
}

/*
 * Returns the statement's span. If statement is NULL, returns a free span.
 * Returns NULL if there is none.
 */
static struct span *find(struct connection *connection,
			 const sqlite3_stmt *statement)
{
	struct span *span = connection->spans;

	while (span && span->statement != statement)
		span = span->next;
	return span;
}

static void begin(struct connection *connection, sqlite3_stmt *statement,
		  const char *text)
{
	const char *const sql = sqlite3_sql(statement);
	struct span *span = find(connection, statement);
	struct selfmon_region *region;

	/*
	 * If the span is already running, a trigger of the statement begins:
	 * SQLite then passes a comment instead of the statement's text.
	 */
	if (span && text != sql)
		return;
	if (!span)
		span = find(connection, NULL);
	if (!span) {
		span = sqlite3_malloc(sizeof(*span));
		if (!span)
			return;
		memset(span, 0, sizeof(*span));
		span->next = connection->spans;
		connection->spans = span;
	}
	selfmon_leave(&span->frame);
	selfmon_async_end(&span->elapsed);
	span->statement = statement;
	span->steps = steps_of(statement);
	region = region_of(connection, sql ? sql : text);
	selfmon_async_begin(region, &span->elapsed);
	selfmon_enter(region, &span->frame);
}

/*
 * Ends a statement's visit and span. If a statement finds that the schema has
 * changed, SQLite ends the statement, prepares it again and runs it, and
 * reports two ends for one run. The second end is counted as an empty visit of
 * a separate region.
 */
static void end(struct connection *connection, sqlite3_stmt *statement)
{
	struct span *const span = find(connection, statement);

	if (span) {
		selfmon_region_count(connection->steps,
				     (unsigned int)steps_of(statement) -
					     (unsigned int)span->steps);
		selfmon_leave(&span->frame);
		selfmon_async_end(&span->elapsed);
		span->statement = NULL;
	} else {
		struct selfmon_frame frame;

		selfmon_enter(connection->again, &frame);
		selfmon_leave(&frame);
	}
}

/*
 * Counts a row twice. The region's unit is counted in the innermost visit: that
 * of this statement, unless the program has begun another statement or region
 * since. The items of the detached span always belong to this statement.
 */
static void row(struct connection *connection, const sqlite3_stmt *statement)
{
	struct span *const span = find(connection, statement);

	selfmon_region_count(connection->rows, 1);
	if (span)
		selfmon_async_items(&span->elapsed, 1);
}

static int traced(unsigned int what, void *context, void *statement,
		  void *detail)
{
	if (what == SQLITE_TRACE_STMT)
		begin(context, statement, detail);
	else if (what == SQLITE_TRACE_PROFILE)
		end(context, statement);
	else if (what == SQLITE_TRACE_ROW)
		row(context, statement);
	return 0;
}

/*
 * Called at the end of the connection. SQLITE_TRACE_CLOSE would be too early: a
 * close may be refused, or wait for statements to end.
 */
static void disconnect(void *context)
{
	struct connection *const connection = context;
	struct span *span, *next;

	for (span = connection->spans; span; span = next) {
		next = span->next;
		selfmon_leave(&span->frame);
		selfmon_async_end(&span->elapsed);
		sqlite3_free(span);
	}
	sqlite3_free(connection);
}

static int refuse(char **message, const char *why)
{
	*message = sqlite3_mprintf("selfmon: %s", why);
	return SQLITE_ERROR;
}

/*
 * Prepares the library. If the host itself has prepared libselfmon or visited a
 * region, the host's options stay.
 */
static int prepare(char **message)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	int error;

	options.output = NULL; /* the table is the report */
	error = selfmon_configure(&options);
	if (error != 0 && error != -EBUSY)
		return refuse(message, strerror(-error));
	error = selfmon_prepare();
	if (error == -ENOSYS)
		return refuse(message, "switched off by SELFMON_ENABLE");
	return error ? refuse(message, strerror(-error)) : SQLITE_OK;
}

/* SQLite derives this name from the file name, selfmon_sqlite.so. */
__attribute__((visibility("default"))) int
sqlite3_selfmonsqlite_init(sqlite3 *database, char **message,
			   const sqlite3_api_routines *api);

int sqlite3_selfmonsqlite_init(sqlite3 *database, char **message,
			       const sqlite3_api_routines *api)
{
	struct connection *connection;
	int result;

	SQLITE_EXTENSION_INIT2(api)
	if (sqlite3_libversion_number() < 3014000)
		return refuse(message, "needs SQLite 3.14 or later");
	result = prepare(message);
	if (result != SQLITE_OK)
		return result;
	connection = sqlite3_malloc(sizeof(*connection));
	if (!connection)
		return SQLITE_NOMEM;
	memset(connection, 0, sizeof(*connection));
	connection->again = selfmon_region("(prepared again: not measured)");
	connection->rows = selfmon_unit("rows");
	connection->steps = selfmon_unit("vm-steps");
	/*
	 * If the extension is loaded twice, this frees the connection of the
	 * first load.
	 */
	result = sqlite3_create_module_v2(database, "selfmon_regions",
					  &regions_module, connection,
					  disconnect);
	if (result != SQLITE_OK)
		return result; /* SQLite has freed `connection` */
	result = sqlite3_create_module_v2(database, "selfmon_spans",
					  &spans_module, NULL, NULL);
	if (result != SQLITE_OK)
		return result;
	result = sqlite3_trace_v2(database,
				  SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE |
					  SQLITE_TRACE_ROW,
				  traced, connection);
	/* Regions outlive the connection, so the extension must stay loaded. */
	return result == SQLITE_OK ? SQLITE_OK_LOAD_PERMANENTLY : result;
}
