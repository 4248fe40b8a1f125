/* SPDX-License-Identifier: MIT */
/*
 * The symbols of one file. symbols_elf.c is by elfutils' libdw;
 * symbols_without.c takes its place in a program that is built without it.
 */
#ifndef SELFMON_TOOLS_SYMBOLS_ELF_H
#define SELFMON_TOOLS_SYMBOLS_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most frames of one address: a function and calls inlined into it. */
#define SYMBOLS_INLINED 64
#define SYMBOLS_BUILD_ID_SIZE (2 * 64 + 1)

/* Texts are valid until the file is closed. */
struct symbols_raw {
	const char *name; /* as the linker knows it; NULL: unknown */
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
/* Allows requests to the servers in DEBUGINFOD_URLS, or forbids them. */
void symbols_elf_network(bool allowed);

/*
 * Opens a file's symbols and takes over its descriptor. Returns NULL if it is
 * no ELF file.
 */
struct symbols_elf *symbols_elf_open(const char *path, int fd);
/* Accepts NULL. */
void symbols_elf_close(struct symbols_elf *elf);
/* Writes the build id in hexadecimal; "": it has none. */
void symbols_elf_build_id(struct symbols_elf *elf,
			  char text[SYMBOLS_BUILD_ID_SIZE]);
/*
 * Finds the frames of an address, innermost first. Returns their number, at
 * least 1; raw[0].name is NULL if no function is known there.
 */
size_t symbols_elf_find(struct symbols_elf *elf, uint64_t address,
			struct symbols_raw raw[SYMBOLS_INLINED]);

#endif
