/* SPDX-License-Identifier: MIT */
/*
 * The symbols of one file. symbols_elf.c uses libdw of elfutils.
 * symbols_without.c replaces it if the program is built without libdw.
 */
#ifndef SELFMON_TOOLS_SYMBOLS_ELF_H
#define SELFMON_TOOLS_SYMBOLS_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most frames of one address: a function, and the calls inlined into it. */
#define SYMBOLS_INLINED 64
#define SYMBOLS_BUILD_ID_SIZE (2 * 64 + 1)

/* Texts are valid until the file is closed. */
struct symbols_raw {
	const char *name; /* the linker's name for it; NULL: unknown */
	const char *file; /* of the line; NULL: unknown */
	uint32_t line;
	const char *declared_file; /* of the function; NULL: unknown */
	uint32_t declared_line;
};

struct symbols_elf;

/* Returns false if this program was built without libdw. */
bool symbols_elf_exists(void);
#define SYMBOLS_WITHOUT \
	"this selfmon was built without libdw: install libdw-dev and rebuild it"
/* Allows or forbids requests to the servers in DEBUGINFOD_URLS. */
void symbols_elf_network(bool allowed);

/*
 * Opens a file's symbols and takes over its descriptor. Returns NULL if it is
 * no ELF file.
 */
struct symbols_elf *symbols_elf_open(const char *path, int fd);
/* Accepts NULL. */
void symbols_elf_close(struct symbols_elf *elf);
/* Writes the build id in hexadecimal; "" if the file has none. */
void symbols_elf_build_id(struct symbols_elf *elf,
			  char text[SYMBOLS_BUILD_ID_SIZE]);
/*
 * Finds the frames of an address, the innermost first. Returns their number,
 * which is at least 1. If no function is known there, raw[0].name is NULL.
 */
size_t symbols_elf_find(struct symbols_elf *elf, uint64_t address,
			struct symbols_raw raw[SYMBOLS_INLINED]);

#endif
