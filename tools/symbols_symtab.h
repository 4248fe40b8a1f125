/* SPDX-License-Identifier: MIT */
/* Reads functions from the symbol tables of a module, by libdwfl. */
#ifndef SELFMON_TOOLS_SYMBOLS_SYMTAB_H
#define SELFMON_TOOLS_SYMBOLS_SYMTAB_H

#include <elfutils/libdwfl.h>

struct symbols_symtab;

/* Reads the tables. Returns NULL if out of memory. */
struct symbols_symtab *symbols_symtab_open(Dwfl_Module *module);
/* Accepts NULL. */
void symbols_symtab_close(struct symbols_symtab *symtab);
/*
 * Returns the name of the function that contains this address, or NULL. The
 * address includes the bias with which libdwfl loaded the module.
 */
const char *symbols_symtab_find(const struct symbols_symtab *symtab,
				GElf_Addr address);

#endif
