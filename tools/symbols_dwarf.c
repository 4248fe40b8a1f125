/* SPDX-License-Identifier: MIT */
/*
 * Functions and lines from debugging information, read by libdw. Compilation
 * units are found by the address ranges in their own entries, since some
 * compilers write no table of addresses. The functions of a unit are read when
 * its first address is looked up.
 */
#define _GNU_SOURCE
#include "symbols_dwarf.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>

#include "symbols_ranges.h"

struct function_list {
	size_t count, room;
	Dwarf_Die *die;
	struct symbols_ranges ranges;
	bool read;
};

struct unit {
	Dwarf_Die die;	 /* the unit that has the lines */
	/*
	 * The unit that contains the functions: from a .dwo file, or the unit
	 * itself.
	 */
	Dwarf_Die split;
	struct function_list functions;
};

struct symbols_dwarf {
	/* Address in the module minus address in the debugging information. */
	Dwarf_Addr bias;
	size_t units, room;
	struct unit *unit;
	struct symbols_ranges ranges;
};

/*
 * Adds the ranges of a unit or a function, except those at address 0: linkers
 * set this address for code that they left out.
 */
static void add_ranges(struct symbols_ranges *to, Dwarf_Die *die, size_t index)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0)
		if (low && !symbols_ranges_add(to, low, high, index))
			return;
}

/* ---- units and their functions ------------------------------------------- */

static bool has_functions(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module ||
	       tag == DW_TAG_class_type || tag == DW_TAG_structure_type;
}

static void add_function(struct function_list *to, Dwarf_Die *die)
{
	const size_t before = to->ranges.count;
	Dwarf_Die *const list =
		symbols_with_room(to->die, &to->room, to->count, sizeof(*list));

	if (!list)
		return;
	to->die = list;
	add_ranges(&to->ranges, die, to->count);
	if (to->ranges.count > before)
		to->die[to->count++] = *die;
}

#define NESTED_MOST 64 /* maximum depth of namespaces and classes */

static void add_functions(struct function_list *to, Dwarf_Die *of, int depth)
{
	Dwarf_Die child;

	if (depth > NESTED_MOST || dwarf_child(of, &child))
		return;
	do {
		const int tag = dwarf_tag(&child);

		if (tag == DW_TAG_subprogram)
			add_function(to, &child);
		else if (has_functions(tag))
			add_functions(to, &child, depth + 1);
	} while (!dwarf_siblingof(&child, &child));
}

static struct function_list *functions_of(struct unit *unit)
{
	struct function_list *const list = &unit->functions;

	if (!list->read) {
		list->read = true;
		add_functions(list, &unit->split, 0);
		symbols_ranges_sort(&list->ranges);
	}
	return list;
}

static void add_unit(struct symbols_dwarf *to, Dwarf_Die *die)
{
	struct unit *const list =
		symbols_with_room(to->unit, &to->room, to->units, sizeof(*list));
	struct unit *unit;
	uint8_t type;
	Dwarf_Die split;

	if (!list)
		return;
	to->unit = list;
	unit = &to->unit[to->units];
	*unit = (struct unit){ .die = *die, .split = *die };
	if (!dwarf_cu_info(die->cu, NULL, &type, NULL, &split, NULL, NULL,
			   NULL) &&
	    type == DW_UT_skeleton && split.addr)
		unit->split = split;
	add_ranges(&to->ranges, die, to->units++);
}

struct symbols_dwarf *symbols_dwarf_open(Dwfl_Module *module)
{
	struct symbols_dwarf *const dwarf = calloc(1, sizeof(*dwarf));
	Dwarf_Die *die = NULL;

	if (!dwarf)
		return NULL;
	while ((die = dwfl_module_nextcu(module, die, &dwarf->bias)))
		add_unit(dwarf, die);
	symbols_ranges_sort(&dwarf->ranges);
	return dwarf;
}

void symbols_dwarf_close(struct symbols_dwarf *dwarf)
{
	size_t i;

	if (!dwarf)
		return;
	for (i = 0; i < dwarf->units; i++) {
		free(dwarf->unit[i].functions.die);
		free(dwarf->unit[i].functions.ranges.range);
	}
	free(dwarf->unit);
	free(dwarf->ranges.range);
	free(dwarf);
}

/* ---- frames -------------------------------------------------------------- */

static bool is_block(int tag)
{
	return tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
	       tag == DW_TAG_catch_block;
}

/*
 * Moves *die to its child that contains an address and is a block or an inlined
 * call. Returns false if there is none.
 */
static bool go_into(Dwarf_Die *die, Dwarf_Addr address)
{
	Dwarf_Die child;

	if (dwarf_child(die, &child))
		return false;
	do {
		const int tag = dwarf_tag(&child);

		if ((is_block(tag) || tag == DW_TAG_inlined_subroutine) &&
		    dwarf_haspc(&child, address) == 1) {
			*die = child;
			return true;
		}
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

/*
 * Lists a function and the calls that are inlined at an address, outermost
 * first.
 */
static size_t list_calls(const Dwarf_Die *function, Dwarf_Addr address,
			 Dwarf_Die call[SYMBOLS_INLINED])
{
	Dwarf_Die at = *function;
	size_t count = 0;

	call[count++] = at;
	while (count < SYMBOLS_INLINED && go_into(&at, address))
		if (dwarf_tag(&at) == DW_TAG_inlined_subroutine)
			call[count++] = at;
	return count;
}

static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
		name = dwarf_formstring(&attribute);
	return name ? name : dwarf_diename(die);
}

/*
 * Returns an attribute of a function, or 0 if there is none. The attribute may
 * also be in the function's declaration or abstract instance.
 */
static uint32_t number_of(Dwarf_Die *die, unsigned int name,
			  Dwarf_Attribute *attribute)
{
	Dwarf_Word value;

	if (!dwarf_attr_integrate(die, name, attribute) ||
	    dwarf_formudata(attribute, &value) || value > UINT32_MAX)
		return 0;
	return (uint32_t)value;
}

/*
 * Returns the name of a file whose number is in an attribute. dwarf_decl_file()
 * of libdw 0.188 is not used: it aborts if a unit has no list of files.
 */
static const char *file_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;
	const uint32_t file = number_of(die, name, &attribute);
	Dwarf_Files *files;
	Dwarf_Die unit;
	size_t count;

	if (!file ||
	    dwarf_cu_info(attribute.cu, NULL, NULL, &unit, NULL, NULL, NULL,
			  NULL) ||
	    dwarf_getsrcfiles(&unit, &files, &count) || file >= count)
		return NULL;
	return dwarf_filesrc(files, file, NULL, NULL);
}

static void put_caller(Dwarf_Die *call, struct symbols_raw *to)
{
	Dwarf_Attribute attribute;

	to->line = number_of(call, DW_AT_call_line, &attribute);
	to->file = file_of(call, DW_AT_call_file);
}

static void put_line(struct unit *unit, Dwarf_Addr address,
		     struct symbols_raw *to)
{
	Dwarf_Line *const line = dwarf_getsrc_die(&unit->die, address);
	int number = 0;

	if (!line)
		return;
	to->file = dwarf_linesrc(line, NULL, NULL);
	if (!dwarf_lineno(line, &number) && number > 0)
		to->line = (uint32_t)number;
}

static void put_function(Dwarf_Die *die, struct symbols_raw *to)
{
	Dwarf_Attribute attribute;

	to->name = name_of(die);
	to->declared_file = file_of(die, DW_AT_decl_file);
	to->declared_line = number_of(die, DW_AT_decl_line, &attribute);
}

size_t symbols_dwarf_find(struct symbols_dwarf *dwarf, Dwarf_Addr address,
			  struct symbols_raw raw[SYMBOLS_INLINED])
{
	const struct symbols_range *range;
	struct function_list *functions;
	Dwarf_Die call[SYMBOLS_INLINED];
	struct unit *unit;
	size_t count, i;

	address -= dwarf->bias;
	range = symbols_ranges_find(&dwarf->ranges, address);
	if (!range)
		return 0;
	unit = &dwarf->unit[range->index];
	put_line(unit, address, &raw[0]);
	functions = functions_of(unit);
	range = symbols_ranges_find(&functions->ranges, address);
	if (!range)
		return 0;
	count = list_calls(&functions->die[range->index], address, call);
	for (i = 0; i < count; i++) {
		if (i)
			raw[i] = (struct symbols_raw){ .name = NULL };
		put_function(&call[count - 1 - i], &raw[i]);
		if (i)
			put_caller(&call[count - i], &raw[i]);
	}
	return count;
}
