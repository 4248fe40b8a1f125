/* SPDX-License-Identifier: MIT */
/*
 * Reads the symbols of one file by elfutils' libdwfl: from its debugging
 * information, which may be in a separate file, or else from its symbol tables.
 * Unless requests are enabled, only files on this machine are used: the
 * variable DEBUGINFOD_URLS is removed, because libdw would contact its servers.
 */
#define _GNU_SOURCE
#include "symbols_elf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols_dwarf.h"
#include "symbols_symtab.h"

struct symbols_elf {
	Dwfl *dwfl;
	Dwfl_Module *module;
	/* Address in libdwfl minus address in the file. */
	GElf_Addr bias;
	struct symbols_dwarf *dwarf;
	struct symbols_symtab *symtab;
};

bool symbols_elf_exists(void)
{
	return true;
}

void symbols_elf_network(bool allowed)
{
	if (!allowed)
		unsetenv("DEBUGINFOD_URLS");
}

static int find_no_elf(Dwfl_Module *module, void **data, const char *name,
		       Dwarf_Addr base, char **path, Elf **elf)
{
	(void)module;
	(void)data;
	(void)name;
	(void)base;
	(void)path;
	(void)elf;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = find_no_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
};

/* Opens a file at base 0, where addresses are those of its own symbol table. */
static bool report_file(struct symbols_elf *elf, const char *path, int fd)
{
	elf->dwfl = dwfl_begin(&callbacks);
	if (!elf->dwfl) {
		close(fd);
		return false;
	}
	dwfl_report_begin(elf->dwfl);
	elf->module = dwfl_report_elf(elf->dwfl, path, path, fd, 0, true);
	if (!elf->module)
		close(fd);
	return !dwfl_report_end(elf->dwfl, NULL, NULL) && elf->module &&
	       dwfl_module_getelf(elf->module, &elf->bias);
}

struct symbols_elf *symbols_elf_open(const char *path, int fd)
{
	struct symbols_elf *const elf = calloc(1, sizeof(*elf));

	if (!elf) {
		close(fd);
		return NULL;
	}
	if (!report_file(elf, path, fd)) {
		symbols_elf_close(elf);
		return NULL;
	}
	return elf;
}

void symbols_elf_close(struct symbols_elf *elf)
{
	if (!elf)
		return;
	symbols_dwarf_close(elf->dwarf);
	symbols_symtab_close(elf->symtab);
	dwfl_end(elf->dwfl);
	free(elf);
}

void symbols_elf_build_id(struct symbols_elf *elf,
			  char text[SYMBOLS_BUILD_ID_SIZE])
{
	const unsigned char *bytes = NULL;
	GElf_Addr where;
	const int count = dwfl_module_build_id(elf->module, &bytes, &where);
	int i;

	text[0] = '\0';
	for (i = 0; i < count && i < SYMBOLS_BUILD_ID_SIZE / 2; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}

/*
 * Returns "[plt]" if the address is in a PLT section, else NULL. Linkers write
 * stubs there for calls into other modules. The stubs have no symbols.
 */
static const char *find_stub(struct symbols_elf *elf, GElf_Addr address)
{
	GElf_Addr bias;
	size_t names;
	Elf_Scn *const section =
		dwfl_module_address_section(elf->module, &address, &bias);
	Elf *const file = dwfl_module_getelf(elf->module, &bias);
	GElf_Shdr header;
	const char *name;

	if (!section || !file || elf_getshdrstrndx(file, &names) ||
	    !gelf_getshdr(section, &header))
		return NULL;
	name = elf_strptr(file, names, header.sh_name);
	return name && !strncmp(name, ".plt", 4) ? "[plt]" : NULL;
}

static const char *find_symbol(struct symbols_elf *elf, GElf_Addr address)
{
	const char *name = NULL;

	if (!elf->symtab)
		elf->symtab = symbols_symtab_open(elf->module);
	if (elf->symtab)
		name = symbols_symtab_find(elf->symtab, address);
	return name ? name : find_stub(elf, address);
}

/*
 * Looks up an address. Debugging information and symbol tables are read when an
 * address first needs them.
 */
size_t symbols_elf_find(struct symbols_elf *elf, uint64_t address,
			struct symbols_raw raw[SYMBOLS_INLINED])
{
	const GElf_Addr at = address + elf->bias;
	size_t count = 0;

	raw[0] = (struct symbols_raw){ .name = NULL };
	if (!elf->dwarf)
		elf->dwarf = symbols_dwarf_open(elf->module);
	if (elf->dwarf)
		count = symbols_dwarf_find(elf->dwarf, at, raw);
	if (!count || !raw[count - 1].name) {
		raw[count ? count - 1 : 0].name = find_symbol(elf, at);
		count += !count;
	}
	return count;
}
