/* SPDX-License-Identifier: MIT */
/*
 * Tells the end of a library that is unloaded, linked into a plugin, from that
 * of the program.
 *
 * A destructor alone cannot tell the two ends apart, and at the program's end
 * other threads may still be in regions. A handler of atexit(3) can. exit(3)
 * runs the handlers in reverse, and the destructors of all objects as one of
 * them, the program loader's (glibc elf/dl-fini.c); dlclose(3) runs them after
 * those destructors that have no priority, by __cxa_finalize() (gcc
 * libgcc/crtstuff.c, __do_global_dtors_aux, the first of .fini_array and so the
 * last run).
 *
 * So it has to come after the loader's, which is added at the program's entry
 * (glibc csu/libc-start.c). What was loaded with the program is constructed
 * before that: it is never taken for unloaded, which it cannot be. Nor is what
 * has a C library of its own (dlmopen(3)), whose handlers exit(3) passes over.
 */
#define _GNU_SOURCE
#include "platform/unloading.h"

#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/auxv.h>

static bool watched; /* the handler is there */
static bool exiting; /* and has been run */
static bool unloading;

#ifdef __GLIBC__
/* No architecture's start.S is longer; its last instruction is the call. */
#define ENTRY_BYTES 64

/* Words of the stack below argc, one of which that call has put there. */
#define CALL_WORDS 3

/*
 * Has the program been entered, or does the loader run the constructors of
 * what it was linked with? Not entered: where it does not look like it.
 */
static bool is_entered(int argc, char **argv)
{
	const uintptr_t entry = getauxval(AT_ENTRY);
	const uintptr_t *const base = (const uintptr_t *)argv - 1;
	int i;

	if (*base != (uintptr_t)argc)
		return false;
	for (i = 1; i <= CALL_WORDS; i++)
		if (base[-i] - entry - 1 < ENTRY_BYTES)
			return true;
	return false;
}

/* The first of its own namespace is what dl_iterate_phdr(3) tells first. */
static int is_program(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	return info->dlpi_phdr == (const void *)getauxval(AT_PHDR) ? 1 : -1;
}

static void note_exit(void)
{
	exiting = true;
}

/* The arguments: those of main(), glibc elf/dl-init.c and csu/libc-start.c. */
__attribute__((constructor)) static void note_load(int argc, char **argv)
{
	if (is_entered(argc, argv) && dl_iterate_phdr(is_program, NULL) == 1)
		watched = atexit(note_exit) == 0;
}
#endif

__attribute__((destructor)) static void note_unload(void)
{
	unloading = watched && !exiting;
}

bool selfmon_unload_is_now(void)
{
	return unloading;
}
