/* SPDX-License-Identifier: MIT */
/* Live files. They are written through shared mappings and read by pread(2). */
#ifndef SELFMON_PLATFORM_FILE_H
#define SELFMON_PLATFORM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * An open file. Other code may close its descriptor and reuse the number. So
 * the identity of the file is kept here, and is checked before use.
 */
struct selfmon_file {
	int fd; /* only valid if is_open */
	bool is_open;
	uint64_t device, inode;
};

/* Length of the magic bytes at the start of such a file. */
#define SELFMON_FILE_MAGIC_SIZE 8

/*
 * Creates an empty file with mode 0600 and close-on-exec; follows no symbolic
 * link in the last component. Never truncates an existing file, since another
 * process may have it mapped. The new file takes the name of an existing file
 * that is empty or begins with magic; otherwise the existing file stays.
 * Returns 0 or -errno: -EEXIST if another kind of file exists, -ELOOP for a
 * link, -EINVAL for a file that is not regular, always -EPERM if
 * selfmon_kernel_is_secure(), -EOPNOTSUPP on file systems other than tmpfs,
 * ext2 to ext4, XFS and overlayfs.
 */
int selfmon_file_create(const char *path, const char *magic,
			struct selfmon_file *file);

/*
 * Creates a file that only grows, on any file system, and locks it (fcntl(2),
 * F_SETLK) while this process has it open. Names and errors as above, except
 * that -EBUSY means: another process has locked the existing file.
 */
int selfmon_file_create_log(const char *path, const char *magic,
			    struct selfmon_file *file);

/*
 * Appends all bytes. Block SIGXFSZ: beyond RLIMIT_FSIZE the kernel sends it.
 * Returns 0 or -errno: -EBADF if the descriptor no longer is this file.
 */
int selfmon_file_append(const struct selfmon_file *file, const void *bytes,
			size_t size);

/*
 * Extends the file to from + size, and maps the new part, in whole pages, as
 * shared. Allocates its blocks, so that later accesses cannot fail on a full
 * disk. A forked child does not have these pages. Returns 0 or -errno: -EFBIG,
 * without a signal, beyond RLIMIT_FSIZE; -EBADF if the descriptor now belongs
 * to another file.
 */
int selfmon_file_grow(const struct selfmon_file *file, uint64_t from,
		      size_t size, void **map);

/*
 * Opens an existing regular file for reading. Returns 0 or -errno: -EINVAL if
 * it is not regular.
 */
int selfmon_file_open(const char *path, struct selfmon_file *file,
		      uint64_t *size);

/*
 * Returns the number of bytes read, fewer only at the end of the file, or
 * -errno.
 */
ssize_t selfmon_file_read(const struct selfmon_file *file, uint64_t offset,
			  void *buffer, size_t size);

/* Closes the descriptor if it still belongs to this file. */
void selfmon_file_close(struct selfmon_file *file);

#endif
