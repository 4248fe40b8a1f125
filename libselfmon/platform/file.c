/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "platform/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "platform/kernel.h"

#ifndef XFS_SUPER_MAGIC /* <linux/magic.h> of Linux 5.2 */
#define XFS_SUPER_MAGIC 0x58465342
#endif

/*
 * Maximum number of times that an existing file is removed: other processes may
 * create the file again meanwhile.
 */
#define CREATE_TRIES 4
#define FILE_FLAGS (O_NOFOLLOW | O_NONBLOCK)

/* Stores the identity of the open file. After an error, closes fd. */
static int identify(int fd, struct selfmon_file *file, uint64_t *size)
{
	struct stat stat;
	int error = 0;

	if (fstat(fd, &stat))
		error = -errno;
	else if (!S_ISREG(stat.st_mode))
		error = -EINVAL;
	if (error) {
		selfmon_kernel_close(fd);
		return error;
	}
	*file = (struct selfmon_file){ .fd = fd,
				       .is_open = true,
				       .device = stat.st_dev,
				       .inode = stat.st_ino };
	*size = (uint64_t)stat.st_size;
	return 0;
}

static bool is_still(const struct selfmon_file *file)
{
	struct stat stat;

	return file->is_open && !fstat(file->fd, &stat) &&
	       stat.st_dev == file->device && stat.st_ino == file->inode;
}

ssize_t selfmon_file_read(const struct selfmon_file *file, uint64_t offset,
			  void *buffer, size_t size)
{
	size_t length = 0;

	while (length < size) {
		const ssize_t n = pread(file->fd, (char *)buffer + length,
					size - length,
					(off_t)(offset + length));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		length += (size_t)n;
	}
	return (ssize_t)length;
}

int selfmon_file_open(const char *path, struct selfmon_file *file,
		      uint64_t *size)
{
	/* Follows symbolic links: only the user's own file is read. */
	const int fd = selfmon_kernel_open(path, O_RDONLY | O_NONBLOCK);

	return fd < 0 ? fd : identify(fd, file, size);
}

/* Returns true if another process has locked the file. */
static bool is_locked(int fd)
{
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET };

	return !fcntl(fd, F_GETLK, &lock) && lock.l_type != F_UNLCK;
}

/* Returns 0 if the existing file may be replaced by a new one, else -errno. */
static int check_old(const char *path, const char *magic)
{
	char begin[SELFMON_FILE_MAGIC_SIZE] = "";
	struct selfmon_file old;
	uint64_t size;
	ssize_t n;
	const int fd = selfmon_kernel_open(path, O_RDONLY | FILE_FLAGS);
	int error = fd < 0 ? fd : identify(fd, &old, &size);

	if (error == -ENOENT)
		return 0;
	if (error)
		return error;
	n = selfmon_file_read(&old, 0, begin, sizeof(begin));
	if (is_locked(old.fd))
		n = -EBUSY;
	selfmon_kernel_close(old.fd);
	if (n == 0 || (n == sizeof(begin) && !memcmp(begin, magic, (size_t)n)))
		return 0;
	return n < 0 ? (int)n : -EEXIST;
}

/*
 * Returns true if overwriting a reserved block never needs a new block.
 * Copy-on-write file systems (btrfs, bcachefs, ZFS) need a new one; if the disk
 * is full, a write through a mapping would then raise SIGBUS. overlayfs, which
 * containers use, passes writes to the underlying file system.
 */
static bool keeps_blocks(int fd)
{
	static const uint32_t known[] = {
		TMPFS_MAGIC,
		EXT4_SUPER_MAGIC,
		XFS_SUPER_MAGIC,
		OVERLAYFS_SUPER_MAGIC,
	};
	struct statfs system;
	size_t i;

	if (fstatfs(fd, &system))
		return false;
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if ((uint32_t)system.f_type == known[i])
			return true;
	return false;
}

static int create_file(const char *path, const char *magic,
		       struct selfmon_file *file)
{
	int tries = CREATE_TRIES, fd, error;
	uint64_t size;

	if (selfmon_kernel_is_secure())
		return -EPERM;
	for (;;) {
		fd = selfmon_kernel_open(path, O_RDWR | O_CREAT | O_EXCL |
						       FILE_FLAGS);
		if (fd != -EEXIST || tries-- == 0)
			break;
		error = check_old(path, magic);
		if (error)
			return error;
		if (unlink(path) && errno != ENOENT)
			return -errno;
	}
	if (fd < 0)
		return fd;
	return identify(selfmon_kernel_raise(fd), file, &size);
}

int selfmon_file_create(const char *path, const char *magic,
			struct selfmon_file *file)
{
	const int error = create_file(path, magic, file);

	if (error || keeps_blocks(file->fd))
		return error;
	selfmon_file_close(file);
	unlink(path);
	return -EOPNOTSUPP;
}

int selfmon_file_create_log(const char *path, const char *magic,
			    struct selfmon_file *file)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	const int error = create_file(path, magic, file);

	/*
	 * An error is ignored: on a file system without locks the file is
	 * unlocked, and another process may replace it.
	 */
	if (!error)
		fcntl(file->fd, F_SETLK, &lock);
	return error;
}

int selfmon_file_append(const struct selfmon_file *file, const void *bytes,
			size_t size)
{
	size_t done = 0;

	if (!is_still(file))
		return -EBADF;
	while (done < size) {
		const ssize_t n = write(file->fd, (const char *)bytes + done,
					size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		done += (size_t)n;
	}
	return 0;
}

/*
 * Checks the limit in advance: beyond it the kernel sends SIGXFSZ, which would
 * kill the program.
 */
static bool is_beyond_limit(uint64_t size)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_FSIZE, &limit) &&
	       limit.rlim_cur != RLIM_INFINITY && size > limit.rlim_cur;
}

static int reserve(int fd, uint64_t from, size_t size)
{
	long failed;

	if (is_beyond_limit(from + size))
		return -EFBIG;
	do {
		failed = fallocate(fd, 0, (off_t)from, (off_t)size);
	} while (failed && errno == EINTR);
	return failed ? -errno : 0;
}

static int map_part(int fd, uint64_t from, size_t size, void **map)
{
	void *const memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
				  MAP_SHARED, fd, (off_t)from);
	int error;

	if (memory == MAP_FAILED)
		return -errno;
	/* A forked child must never access its parent's statistics. */
	if (madvise(memory, size, MADV_DONTFORK)) {
		error = -errno;
		munmap(memory, size);
		return error;
	}
	*map = memory;
	return 0;
}

int selfmon_file_grow(const struct selfmon_file *file, uint64_t from,
		      size_t size, void **map)
{
	const int before = errno;
	int error = -EBADF;

	*map = NULL;
	if (is_still(file)) {
		error = reserve(file->fd, from, size);
		if (!error)
			error = map_part(file->fd, from, size, map);
		/*
		 * Truncate after an error: a file that begins with zeros would
		 * look like the file of another program. With -EFBIG the file
		 * has not grown.
		 */
		if (error && error != -EFBIG && ftruncate(file->fd, (off_t)from))
			error = -errno;
	}
	errno = before;
	return error;
}

void selfmon_file_close(struct selfmon_file *file)
{
	if (is_still(file))
		selfmon_kernel_close(file->fd);
	file->is_open = false;
}
