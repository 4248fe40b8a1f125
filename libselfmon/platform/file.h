/* SPDX-License-Identifier: MIT */
/* Files of statistics: written through shared maps, read by pread(2). */
#ifndef SELFMON_PLATFORM_FILE_H
#define SELFMON_PLATFORM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * An open file. Its number may be closed by others and be used again for what
 * is theirs: so what was opened is remembered, and looked for before use.
 */
struct selfmon_file {
	int fd; /* meaningless unless is_open */
	bool is_open;
	bool may_fault; /* new: a full disk does, blocks reserved or not */
	uint64_t device, inode;
};

/* The first bytes of such a file. */
#define SELFMON_FILE_MAGIC_SIZE 8

/*
 * A new file, empty, mode 0600, close-on-exec, no symbolic link followed at
 * its end. One that is there is never cut short, since another process may
 * have it mapped: it loses its name to the new one if it is empty or begins
 * with magic, and otherwise stays.
 * 0 or -errno: -EEXIST something else is there, -ELOOP a link, -EINVAL no
 * regular file, -EPERM always where selfmon_kernel_is_secure().
 */
int selfmon_file_create(const char *path, const char *magic,
			struct selfmon_file *file);

/*
 * Makes the file longer, to from + size, and maps that part, whole pages,
 * shared: its blocks are there, so that no access to them finds a full disk,
 * and a forked child has no such pages. 0 or -errno: -EFBIG, without a signal,
 * beyond RLIMIT_FSIZE, -EBADF where the descriptor is not this file's any more.
 */
int selfmon_file_grow(const struct selfmon_file *file, uint64_t from,
		      size_t size, void **map);

/* An existing regular file, to read it. 0 or -errno: -EINVAL no such one. */
int selfmon_file_open(const char *path, struct selfmon_file *file,
		      uint64_t *size);

/* Bytes read, fewer at the end of the file only, or -errno. */
ssize_t selfmon_file_read(const struct selfmon_file *file, uint64_t offset,
			  void *buffer, size_t size);

/* Closes the descriptor, unless it is another's by now. */
void selfmon_file_close(struct selfmon_file *file);

#endif
