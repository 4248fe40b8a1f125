/* SPDX-License-Identifier: MIT */
/* Lists the names in a directory of sysfs. */
#ifndef SELFMON_PLATFORM_DIRECTORY_H
#define SELFMON_PLATFORM_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct selfmon_directory {
	int fd_plus_1; /* 0: closed */
	unsigned int at, end;
	uint64_t entry[128]; /* as the kernel returns them; at and end are byte
				offsets */
};

/* Returns 0 or -errno. Allocates nothing. */
int selfmon_directory_open(const char *path,
			   struct selfmon_directory *directory);

/*
 * Copies the next name, in no particular order. Names that begin with a dot are
 * skipped; names that do not fit are cut. Returns false after the last, or if
 * the directory is not open.
 */
bool selfmon_directory_next(struct selfmon_directory *directory, char *name,
			    size_t size);

void selfmon_directory_close(struct selfmon_directory *directory);

#endif
