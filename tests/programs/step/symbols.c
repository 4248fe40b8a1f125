/* SPDX-License-Identifier: MIT */
/* Finds the functions of this program in its own symbol table. */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "step.h"

#ifdef SELFMON_IMPL_INLINED
/*
 * The scenes whose code includes inlined enter and leave, and the functions
 * that the inlined code calls.
 */
static const char *const symbols_needed[] = {
	"pair",
	"twice_in_one_function",
	"over_abandoned_entries",
	"selfmon_enter_any",
	"selfmon_unwind_abandoned",
	"selfmon_unwind_to",
	"selfmon_thread_attach",
	NULL,
};
static const char *const symbols_of_kernel_events[] = { NULL };
#else
/*
 * Steps must stop at least once in each of these functions: those for enter and
 * leave, and for first visits and unwinding.
 */
static const char *const symbols_needed[] = {
	"selfmon_impl_enter",	 "selfmon_impl_enter_span",
	"selfmon_impl_leave",	 "selfmon_enter_any",
	"selfmon_leave_any",	 "selfmon_tree_child",
	"enter_child",
	"selfmon_unwind_abandoned", "selfmon_unwind_to",
	"selfmon_thread_attach", "selfmon_impl_units",
	"selfmon_enter_user",	 "selfmon_enter_user_span",
	"selfmon_start_user",	 "selfmon_leave_user",
	"start_again",		 "selfmon_set_keep",
	"selfmon_leave_again",	 "selfmon_leave_unusual",
	"selfmon_start_counts",	 "selfmon_counters_delta",
	"selfmon_stats_delta",	 NULL,
};

/*
 * Functions in which steps must also stop if perf_event_open(2) works: they read
 * events by system call.
 */
static const char *const symbols_of_kernel_events[] = {
	"selfmon_impl_snapshot_slow",
	"selfmon_group_read_own",
	NULL,
};

#endif

static struct step_symbol *symbol;
static size_t symbols;

uint64_t step_symbols_end;

static const char *map_program(void)
{
	const int fd = open("/proc/self/exe", O_RDONLY);
	struct stat stat;
	void *map;

	if (fd < 0 || fstat(fd, &stat))
		return NULL;
	map = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	return map == MAP_FAILED ? NULL : map;
}

static void add(const ElfW(Sym) * entry, const char *names)
{
	if ((entry->st_info & 0xf) != STT_FUNC || !entry->st_size)
		return;
	symbol[symbols].name = names + entry->st_name;
	symbol[symbols].address = entry->st_value;
	symbol[symbols].size = entry->st_size;
	symbols++;
}

/*
 * Returns true for a function of the test itself, which is not stepped through.
 * With inlined visits, all of scenes.c is stepped through like the library.
 */
static bool is_ours(const char *name)
{
#ifdef SELFMON_IMPL_INLINED
	if (!strncmp(name, "step_scene", 10) ||
	    !strcmp(name, "step_visit_other"))
		return false;
#endif
	return !strncmp(name, "step_", 5);
}

/* Converts addresses in the file to those of this process. */
static int relocate(void)
{
	const struct step_symbol *known = step_symbol_named("step_handler");
	uint64_t bias, end;
	size_t i;

	if (!known)
		return -1;
	bias = (uint64_t)(uintptr_t)step_handler - known->address;
	for (i = 0; i < symbols; i++) {
		symbol[i].address += bias;
		end = symbol[i].address + symbol[i].size;
		if (is_ours(symbol[i].name) && end > step_symbols_end)
			step_symbols_end = end;
	}
	return 0;
}

int step_symbols_read(void)
{
	const char *const file = map_program();
	const ElfW(Ehdr) *head = (const void *)file;
	const ElfW(Shdr) * section, *table;
	size_t i, k;

	if (!file)
		return -1;
	section = (const void *)(file + head->e_shoff);
	for (i = 0; i < head->e_shnum; i++) {
		table = &section[i];
		if (table->sh_type != SHT_SYMTAB)
			continue;
		symbol = calloc(table->sh_size / sizeof(ElfW(Sym)),
				sizeof(*symbol));
		for (k = 0; symbol && k < table->sh_size / sizeof(ElfW(Sym));
		     k++)
			add((const ElfW(
				    Sym) *)(const void *)(file +
							  table->sh_offset) +
				    k,
			    file + section[table->sh_link].sh_offset);
	}
	return symbols ? relocate() : -1;
}

struct step_symbol *step_symbol_of(uint64_t address)
{
	size_t i;

	for (i = 0; i < symbols; i++)
		if (address - symbol[i].address < symbol[i].size)
			return &symbol[i];
	return NULL;
}

struct step_symbol *step_symbol_named(const char *name)
{
	size_t i;

	for (i = 0; i < symbols; i++)
		if (!strcmp(symbol[i].name, name))
			return &symbol[i];
	return NULL;
}

static bool is_stopped_in(const char *name)
{
	const struct step_symbol *const found = step_symbol_named(name);

	if (!found || !found->stops) {
		printf("step: no stop in %s\n", name);
		return false;
	}
	printf("step: %5lu stops in %s\n", (unsigned long)found->stops, name);
	return true;
}

bool step_symbols_check(bool kernel_events)
{
	const char *const *name;
	bool all = true;

	for (name = symbols_needed; *name; name++)
		all &= is_stopped_in(*name);
	for (name = symbols_of_kernel_events; kernel_events && *name; name++)
		all &= is_stopped_in(*name);
	return all;
}
