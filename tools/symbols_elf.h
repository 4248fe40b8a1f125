/* SPDX-License-Identifier: MIT */
/*
 * Reads the symbols of one file. symbols_elf.c uses libdw of elfutils.
 * symbols_without.c replaces it if the program is built without libdw.
 */
#ifndef SELFMON_TOOLS_SYMBOLS_ELF_H
#define SELFMON_TOOLS_SYMBOLS_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Maximum number of frames of one address: a function, and calls inlined into
 * it.
 */
#define SYMBOLS_INLINED 64
#define SYMBOLS_BUILD_ID_SIZE (2 * 64 + 1)

/* A frame. Its texts are valid until the file is closed. */
struct symbols_raw {
	const char *name; /* linker name; NULL: unknown */
	const char *file; /* file of the line; NULL: unknown */
	uint32_t line;
	const char *declared_file; /* file of the declaration; NULL: unknown */
	uint32_t declared_line;
};

struct symbols_elf;

/* Returns false if this program was built without libdw. */
bool symbols_elf_exists(void);
#define SYMBOLS_WITHOUT \
	"this selfmon was built without libdw: install libdw-dev and rebuild it"
/* Enables or disables requests to the servers in DEBUGINFOD_URLS. */
void symbols_elf_network(bool allowed);

/*
 * Opens a file's symbols, and takes over its descriptor. Returns NULL if it is
 * not an ELF file.
 */
struct symbols_elf *symbols_elf_open(const char *path, int fd);
/* Accepts NULL. */
void symbols_elf_close(struct symbols_elf *elf);
/* Writes the build id in hexadecimal, or "" if the file has none. */
void symbols_elf_build_id(struct symbols_elf *elf,
			  char text[SYMBOLS_BUILD_ID_SIZE]);
/*
 * Finds the frames of an address, innermost first. Returns their number, at
 * least 1. If no function is known there, raw[0].name is NULL.
 */
size_t symbols_elf_find(struct symbols_elf *elf, uint64_t address,
			struct symbols_raw raw[SYMBOLS_INLINED]);

#endif
