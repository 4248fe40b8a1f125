/* SPDX-License-Identifier: MIT */
/* Shared by the parts of the extension. */
#ifndef SELFMON_SQLITE_H
#define SELFMON_SQLITE_H

#include <sqlite3ext.h>
#include <stddef.h>

#include <selfmon.h>

/* Names are cut to this size. */
#define NAME_SIZE 256

/*
 * Writes the common form of equivalent statements: literals become "?", a list
 * of them one "?", blanks and comments one blank. Cut to size.
 */
void statement_name(const char *sql, char *name, size_t size);

/*
 * Returns the region of a statement. After more names than a program has
 * statements written by hand, all new ones share a region.
 */
struct selfmon_region *statement_region(const char *sql);

/* The tables selfmon_regions and selfmon_spans. */
extern const sqlite3_module regions_module, spans_module;

#endif
