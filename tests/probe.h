/* SPDX-License-Identifier: MIT */
/* Names the uprobe of a function of the running program. */
#ifndef TESTS_PROBE_H
#define TESTS_PROBE_H

#include <inttypes.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

struct probe {
	uintptr_t address;
	uint64_t offset; /* in the file */
};

/* Looks only at the program itself, which dl_iterate_phdr(3) lists first. */
static inline int probe_find(struct dl_phdr_info *info, size_t size, void *at)
{
	struct probe *const probe = at;
	int i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *const part = &info->dlpi_phdr[i];
		const uintptr_t inside =
			probe->address - info->dlpi_addr - part->p_vaddr;

		if (part->p_type == PT_LOAD && inside < part->p_filesz)
			probe->offset = part->p_offset + inside;
	}
	return 1;
}

/*
 * Writes "uprobe:PROGRAM:0xOFFSET". Returns false if the function is not found
 * or the text does not fit.
 */
static inline bool probe_name(char *spec, size_t size, const void *function)
{
	struct probe probe = { .address = (uintptr_t)function };
	char path[4096];
	const ssize_t n = readlink("/proc/self/exe", path, sizeof(path));

	if (n <= 0 || !dl_iterate_phdr(probe_find, &probe) || !probe.offset)
		return false;
	return (size_t)snprintf(spec, size, "uprobe:%.*s:0x%" PRIx64, (int)n,
				path, probe.offset) < size;
}

#endif
