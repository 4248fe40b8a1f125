/* SPDX-License-Identifier: MIT */
/*
 * Replaces symbols_elf.c and symbols_demangle.c if the program is built without
 * libdw.
 */
#include <unistd.h>

#include "symbols_demangle.h"
#include "symbols_elf.h"

bool symbols_elf_exists(void)
{
	return false;
}

void symbols_elf_network(bool allowed)
{
	(void)allowed;
}

struct symbols_elf *symbols_elf_open(const char *path, int fd)
{
	(void)path;
	close(fd);
	return NULL;
}

void symbols_elf_close(struct symbols_elf *elf)
{
	(void)elf;
}

void symbols_elf_build_id(struct symbols_elf *elf,
			  char text[SYMBOLS_BUILD_ID_SIZE])
{
	(void)elf;
	text[0] = '\0';
}

size_t symbols_elf_find(struct symbols_elf *elf, uint64_t address,
			struct symbols_raw raw[SYMBOLS_INLINED])
{
	(void)elf;
	(void)address;
	raw[0] = (struct symbols_raw){ .name = NULL };
	return 1;
}

char *symbols_demangle(const char *name)
{
	(void)name;
	return NULL;
}
