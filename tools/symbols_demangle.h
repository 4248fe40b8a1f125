/* SPDX-License-Identifier: MIT */
/* Converts names of C++ functions to the form in which the source has them. */
#ifndef SELFMON_TOOLS_SYMBOLS_DEMANGLE_H
#define SELFMON_TOOLS_SYMBOLS_DEMANGLE_H

/*
 * Returns the demangled name, which the caller frees. Returns NULL if the name
 * is not mangled, or if this system has no libstdc++.
 */
char *symbols_demangle(const char *name);

#endif
