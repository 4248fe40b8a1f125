/* SPDX-License-Identifier: MIT */
/* Names in a directory (of sysfs). */
#ifndef SELFMON_PLATFORM_DIRECTORY_H
#define SELFMON_PLATFORM_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct selfmon_directory {
	int fd_plus_1; /* 0 when closed */
	unsigned int at, end;
	uint64_t entry[128]; /* as the kernel gives them; in bytes: at, end */
};

/* Returns 0 or -errno. Allocates nothing. */
int selfmon_directory_open(const char *path,
			   struct selfmon_directory *directory);

/*
 * Gives the next name, in no particular order; those that begin with a dot
 * are left out, those that do not fit cut. False after the last, and for a
 * directory that is not open.
 */
bool selfmon_directory_next(struct selfmon_directory *directory, char *name,
			    size_t size);

void selfmon_directory_close(struct selfmon_directory *directory);

#endif
