/* SPDX-License-Identifier: MIT */
/* Names of C++ functions as they are written in the source. */
#ifndef SELFMON_TOOLS_SYMBOLS_DEMANGLE_H
#define SELFMON_TOOLS_SYMBOLS_DEMANGLE_H

/*
 * Returns the demangled name, freed by the caller; or NULL if it is not mangled
 * or this system has no libstdc++.
 */
char *symbols_demangle(const char *name);

#endif
