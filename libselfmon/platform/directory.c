/* SPDX-License-Identifier: MIT */
/*
 * opendir(3) is not used, since it calls malloc(3): a thread's first visit may
 * be in a handler that interrupted malloc.
 */
#define _GNU_SOURCE
#include "platform/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/kernel.h"

/* Struct linux_dirent64; see getdents64(2). */
struct entry {
	uint64_t inode;
	int64_t next;
	uint16_t length;
	uint8_t type;
	char name[];
};

int selfmon_directory_open(const char *path,
			   struct selfmon_directory *directory)
{
	const int fd = selfmon_kernel_open(path, O_RDONLY | O_DIRECTORY);

	directory->fd_plus_1 = fd + 1;
	directory->at = directory->end = 0;
	return fd < 0 ? fd : 0;
}

static bool read_more_names(struct selfmon_directory *directory)
{
	const long n = syscall(SYS_getdents64, directory->fd_plus_1 - 1,
			       directory->entry, sizeof(directory->entry));

	directory->at = 0;
	directory->end = n > 0 ? (unsigned int)n : 0;
	return n > 0;
}

bool selfmon_directory_next(struct selfmon_directory *directory, char *name,
			    size_t size)
{
	const struct entry *entry;

	do {
		if (!directory->fd_plus_1 ||
		    (directory->at == directory->end &&
		     !read_more_names(directory)))
			return false;
		entry = (const void *)((const char *)directory->entry +
				       directory->at);
		directory->at += entry->length;
	} while (entry->name[0] == '.');
	snprintf(name, size, "%s", entry->name);
	return true;
}

void selfmon_directory_close(struct selfmon_directory *directory)
{
	if (directory->fd_plus_1)
		selfmon_kernel_close(directory->fd_plus_1 - 1);
	directory->fd_plus_1 = 0;
}
