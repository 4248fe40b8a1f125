/* SPDX-License-Identifier: MIT */
/* Converts linker names of C++ functions to the names in the source. */
#ifndef SELFMON_TOOLS_SYMBOLS_DEMANGLE_H
#define SELFMON_TOOLS_SYMBOLS_DEMANGLE_H

/*
 * Returns the demangled name, which the caller frees. Returns NULL if the name
 * is not mangled, or if this system has no libstdc++.
 */
char *symbols_demangle(const char *name);

#endif
