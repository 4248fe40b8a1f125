/* SPDX-License-Identifier: MIT */
/*
 * Lists the files whose code is mapped now: the program, shared objects, the
 * vDSO.
 */
#ifndef SELFMON_PLATFORM_MODULES_H
#define SELFMON_PLATFORM_MODULES_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

struct selfmon_module {
	uint64_t begin, end; /* address range of its executable segments */
	/* Mapped address minus the address in the symbol table. */
	uint64_t bias;
	char *path;	     /* "[vdso]" for the vDSO */
	char build_id[2 * 20 + 1]; /* in hexadecimal; "" if there is none */
};

struct selfmon_modules {
	size_t count, room;
	struct selfmon_module *module; /* sorted by address */
};

/*
 * Takes the loader's lock (dl_iterate_phdr(3)) and uses malloc(3). Returns 0 or
 * -ENOMEM. The caller must call selfmon_modules_free() in both cases.
 */
int selfmon_modules_find(struct selfmon_modules *modules);
void selfmon_modules_free(struct selfmon_modules *modules);
/* Returns the module that contains an address, or NULL. */
const struct selfmon_module *
selfmon_modules_at(const struct selfmon_modules *modules, uint64_t address);

#endif
