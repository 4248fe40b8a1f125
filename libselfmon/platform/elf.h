/* SPDX-License-Identifier: MIT */
/* Where in an ELF file a function is. */
#ifndef SELFMON_PLATFORM_ELF_H
#define SELFMON_PLATFORM_ELF_H

#include <stdint.h>

/*
 * The offset in the file of a function's first byte, by .symtab and .dynsym.
 * 0, -ESRCH: no such function; -ENOEXEC: no ELF file of this machine's kind,
 * or a damaged one; else what opening or reading failed with.
 */
int selfmon_elf_offset(const char *path, const char *symbol, uint64_t *offset);

#endif
