/* SPDX-License-Identifier: MIT */
/*
 * Live files and traces. Live files are written through shared mappings and
 * read by pread(2). Traces are appended to by write(2).
 */
#ifndef SELFMON_PLATFORM_FILE_H
#define SELFMON_PLATFORM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * An open file. Other code may close its descriptor and reuse the number. So
 * the identity of the file is stored here, and checked before the file is
 * extended or closed.
 */
struct selfmon_file {
	int fd; /* only valid if is_open */
	bool is_open;
	uint64_t device, inode;
};

/* Length of the magic bytes at the start of a live file or a trace. */
#define SELFMON_FILE_MAGIC_SIZE 8

/*
 * Creates an empty file with mode 0600 and close-on-exec; does not follow a
 * symbolic link in the last component. Never truncates an existing file, since
 * another process may have it mapped. The new file takes the name of an
 * existing file that is empty or begins with magic; otherwise the existing file
 * stays. Returns 0 or -errno: -EEXIST if the existing file is of another kind,
 * -EBUSY if it is a trace that another process is writing, -ELOOP for a link,
 * -EINVAL for a file that is not regular, always -EPERM if
 * selfmon_kernel_is_secure(), -EOPNOTSUPP on file systems other than tmpfs,
 * ext2 to ext4, XFS and overlayfs.
 */
int selfmon_file_create(const char *path, const char *magic,
			struct selfmon_file *file);

/*
 * Creates a file that is only appended to, on any file system. Locks it
 * (fcntl(2), F_SETLK) while this process has it open. Otherwise like
 * selfmon_file_create(); -EBUSY means that another process has locked the
 * existing file.
 */
int selfmon_file_create_log(const char *path, const char *magic,
			    struct selfmon_file *file);

/*
 * Appends all bytes. The caller must block SIGXFSZ, which the kernel sends
 * beyond RLIMIT_FSIZE. Returns 0 or -errno: -EBADF if the descriptor now
 * belongs to another file.
 */
int selfmon_file_append(const struct selfmon_file *file, const void *bytes,
			size_t size);

/*
 * Extends the file to from + size, and maps the new part, in whole pages, as
 * shared. Allocates its blocks, so that later accesses cannot fail on a full
 * disk. A forked child does not have these pages. Returns 0 or -errno: -EFBIG
 * beyond RLIMIT_FSIZE, without a signal; -EBADF if the descriptor now belongs
 * to another file.
 */
int selfmon_file_grow(const struct selfmon_file *file, uint64_t from,
		      size_t size, void **map);

/*
 * Opens an existing regular file for reading. Returns 0 or -errno: -EINVAL if
 * the file is not regular.
 */
int selfmon_file_open(const char *path, struct selfmon_file *file,
		      uint64_t *size);

/*
 * Reads at an offset. Returns the number of bytes, fewer than size only at the
 * end of the file, or -errno.
 */
ssize_t selfmon_file_read(const struct selfmon_file *file, uint64_t offset,
			  void *buffer, size_t size);

/* Closes the descriptor if it still belongs to this file. */
void selfmon_file_close(struct selfmon_file *file);

#endif
