/* SPDX-License-Identifier: MIT */
/*
 * Reads functions from the symbol tables of a module. libdwfl itself would
 * search all symbols for each address.
 */
#include "symbols_symtab.h"

#include <stdlib.h>
#include <string.h>

#include "symbols_ranges.h"

struct symbol {
	GElf_Addr address;
	GElf_Xword size;
	GElf_Word section;
	unsigned char binding;
	const char *name;
};

struct symbols_symtab {
	size_t count;
	struct symbol *symbol;
	struct symbols_ranges ranges;
};

static void add_symbol(struct symbols_symtab *to, Dwfl_Module *module, int i)
{
	struct symbol *const at = &to->symbol[to->count];
	GElf_Sym symbol;
	int type;

	at->name = dwfl_module_getsym_info(module, i, &symbol, &at->address,
					   &at->section, NULL, NULL);
	type = GELF_ST_TYPE(symbol.st_info);
	if (!at->name || !*at->name || symbol.st_shndx == SHN_UNDEF ||
	    (type != STT_FUNC && type != STT_GNU_IFUNC))
		return;
	at->size = symbol.st_size;
	at->binding = GELF_ST_BIND(symbol.st_info);
	to->count++;
}

static int rank(const struct symbol *symbol)
{
	return symbol->binding == STB_GLOBAL ? 2
	       : symbol->binding == STB_WEAK ? 1
					     : 0;
}

static size_t underscores(const struct symbol *symbol)
{
	return strspn(symbol->name, "_");
}

/* Sorts by address. The preferred name of an address is the last one. */
static int compare_symbols(const void *a, const void *b)
{
	const struct symbol *const x = a, *const y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (rank(x) != rank(y))
		return rank(x) - rank(y);
	if (underscores(x) != underscores(y))
		return underscores(x) > underscores(y) ? -1 : 1;
	return strcmp(y->name, x->name);
}

/*
 * Returns the end of a function. A function without a size, as in assembly,
 * ends at the next function.
 */
static GElf_Addr end_of(const struct symbols_symtab *symtab, size_t i)
{
	const struct symbol *const symbol = symtab->symbol;
	size_t next;

	if (symbol[i].size)
		return symbol[i].address + symbol[i].size;
	for (next = i + 1; next < symtab->count; next++)
		if (symbol[next].address > symbol[i].address)
			break;
	return next < symtab->count &&
			       symbol[next].section == symbol[i].section
		       ? symbol[next].address
		       : symbol[i].address + 1;
}

struct symbols_symtab *symbols_symtab_open(Dwfl_Module *module)
{
	struct symbols_symtab *const symtab = calloc(1, sizeof(*symtab));
	const int count = dwfl_module_getsymtab(module);
	size_t k;
	int i;

	if (!symtab || count <= 0)
		return symtab;
	symtab->symbol = calloc((size_t)count, sizeof(*symtab->symbol));
	if (!symtab->symbol)
		return symtab;
	for (i = 0; i < count; i++)
		add_symbol(symtab, module, i);
	if (symtab->count)
		qsort(symtab->symbol, symtab->count, sizeof(*symtab->symbol),
		      compare_symbols);
	for (k = 0; k < symtab->count; k++)
		symbols_ranges_add(&symtab->ranges, symtab->symbol[k].address,
				   end_of(symtab, k), k);
	symbols_ranges_sort(&symtab->ranges);
	return symtab;
}

void symbols_symtab_close(struct symbols_symtab *symtab)
{
	if (!symtab)
		return;
	free(symtab->symbol);
	free(symtab->ranges.range);
	free(symtab);
}

const char *symbols_symtab_find(const struct symbols_symtab *symtab,
				GElf_Addr address)
{
	const struct symbols_range *const range =
		symbols_ranges_find(&symtab->ranges, address);

	return range ? symtab->symbol[range->index].name : NULL;
}
