/* SPDX-License-Identifier: MIT */
/* Shortens names. */
#ifndef SELFMON_TOOLS_SYMBOLS_NAME_H
#define SELFMON_TOOLS_SYMBOLS_NAME_H

#include <stddef.h>

/* Returns the last part of a path. */
const char *symbols_short_name(const char *path);
/*
 * Writes the name of a C++ function without template arguments and parameters:
 * std::vector<>::push_back. Names without `<` and `(` are unchanged, as are
 * Rust's names that begin with `<`.
 */
void symbols_compact(const char *name, char *to, size_t size);

#endif
