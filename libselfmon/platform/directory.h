/* SPDX-License-Identifier: MIT */
/* Lists the names in a directory of sysfs, procfs or tracefs. */
#ifndef SELFMON_PLATFORM_DIRECTORY_H
#define SELFMON_PLATFORM_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct selfmon_directory {
	int fd_plus_1; /* 0: closed */
	unsigned int at, end;
	/* As the kernel returns them; at and end are offsets in bytes. */
	uint64_t entry[128];
};

/* Opens a directory. Returns 0 or -errno. Allocates nothing. */
int selfmon_directory_open(const char *path,
			   struct selfmon_directory *directory);

/*
 * Copies the next name, in no particular order. Skips names that begin with a
 * dot, and truncates names that do not fit. Returns false after the last name,
 * or if the directory is not open.
 */
bool selfmon_directory_next(struct selfmon_directory *directory, char *name,
			    size_t size);

void selfmon_directory_close(struct selfmon_directory *directory);

#endif
