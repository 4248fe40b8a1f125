/* SPDX-License-Identifier: MIT */
/* Functions and lines from debugging information, read by libdw. */
#ifndef SELFMON_TOOLS_SYMBOLS_DWARF_H
#define SELFMON_TOOLS_SYMBOLS_DWARF_H

#include <elfutils/libdwfl.h>

#include "symbols_elf.h"

/*
 * Returns NULL if out of memory. The module may have no debugging information.
 */
struct symbols_dwarf *symbols_dwarf_open(Dwfl_Module *module);
/* Accepts NULL. */
void symbols_dwarf_close(struct symbols_dwarf *dwarf);

/*
 * Finds the frames at an address of the module's Dwfl, innermost inlined call
 * first. Returns their number. If no function is known there, returns 0 and
 * sets only the file and the line of raw[0], as far as they are known.
 */
size_t symbols_dwarf_find(struct symbols_dwarf *dwarf, Dwarf_Addr address,
			  struct symbols_raw raw[SYMBOLS_INLINED]);

#endif
