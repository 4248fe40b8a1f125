/* SPDX-License-Identifier: MIT */
/* What the parts of the extension call in each other. */
#ifndef SELFMON_SQLITE_H
#define SELFMON_SQLITE_H

#include <sqlite3ext.h>
#include <stddef.h>

#include <selfmon.h>

/* A name is cut at this size. */
#define NAME_SIZE 256

/*
 * Writes what all statements of one form have in common: literals are "?", a
 * list of them is one, blanks and comments are a blank. Cut to size.
 */
void statement_name(const char *sql, char *name, size_t size);

/*
 * The region of a statement. After so many names as no program writes by hand
 * it is the same for all new ones.
 */
struct selfmon_region *statement_region(const char *sql);

/* The table selfmon_regions. */
extern const sqlite3_module regions_module;

#endif
