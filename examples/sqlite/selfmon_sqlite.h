/* SPDX-License-Identifier: MIT */
/* Shared by the parts of the extension. */
#ifndef SELFMON_SQLITE_H
#define SELFMON_SQLITE_H

#include <sqlite3ext.h>
#include <stddef.h>

#include <selfmon.h>

#define NAME_SIZE 256

/*
 * Writes the common form of equivalent statements. Literals become "?", lists
 * of literals become one "?", and blanks and comments become one blank. The
 * name is cut to the size.
 */
void statement_name(const char *sql, char *name, size_t size);

/*
 * Returns the region of a statement. The number of names is limited: all
 * further statements share one region.
 */
struct selfmon_region *statement_region(const char *sql);

extern const sqlite3_module regions_module, spans_module;

#endif
