/* SPDX-License-Identifier: MIT */
/* Names in a directory (of sysfs). */
#ifndef SELFMON_PLATFORM_DIRECTORY_H
#define SELFMON_PLATFORM_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>

struct selfmon_directory {
	void *stream; /* a DIR; NULL when closed */
};

/* Returns 0 or -errno. */
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
