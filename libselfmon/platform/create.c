/* SPDX-License-Identifier: MIT */
/* Creates the files of reports. See file.c for live files and traces. */
#define _GNU_SOURCE
#include "platform/create.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/kernel.h"
#include "platform/path.h"
#include "platform/output.h"

/* Maximum length of ".selfmon-", a process id and a time. */
#define NAME_SIZE 64
/*
 * The name of a temporary file may exist already: a killed process left the
 * file, or somebody guessed the name.
 */
#define NAME_TRIES 16
#define REPORT_FLAGS (O_WRONLY | O_NOFOLLOW)

/*
 * If the path names one of the program's own descriptors by a symbolic link,
 * returns its number; otherwise -1.
 */
static int named_descriptor(const char *path)
{
	static const char *const folder[] = { "/dev/fd/", "/proc/self/fd/" };
	size_t i;

	if (!strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	for (i = 0; i < sizeof(folder) / sizeof(folder[0]); i++) {
		const size_t length = strlen(folder[i]);
		const char *const digits = path + length;

		if (!strncmp(path, folder[i], length) && *digits &&
		    digits[strspn(digits, "0123456789")] == '\0')
			return atoi(digits);
	}
	return -1;
}

static int put_and_close(int fd, const char *text, size_t size)
{
	const int error = selfmon_output(fd, text, size);
	const int closed = selfmon_output_close(fd);

	return error ? error : closed;
}

/*
 * Writes to a device or FIFO. Opens it with O_NONBLOCK: to wait for a FIFO's
 * reader would delay the exit of the program. Clears the flag before it writes.
 */
static int write_special(const char *path, const char *text, size_t size)
{
	const int fd = selfmon_kernel_open(path, REPORT_FLAGS | O_NONBLOCK);
	int status;

	if (fd < 0)
		return fd;
	status = fcntl(fd, F_GETFL);
	if (status >= 0)
		fcntl(fd, F_SETFL, status & ~O_NONBLOCK);
	return put_and_close(fd, text, size);
}

/*
 * Creates a new file in the directory of `path`. Returns its descriptor or
 * -errno.
 */
static int open_beside(const char *path, char *name, size_t size)
{
	const char *const slash = strrchr(path, '/');
	const int folder = slash ? (int)(slash + 1 - path) : 0;
	int tries = NAME_TRIES, fd = -EEXIST;

	while (fd == -EEXIST && tries-- > 0) {
		const int length = snprintf(
			name, size, "%.*s.selfmon-%d-%" PRIx64, folder, path,
			selfmon_kernel_pid(), selfmon_kernel_monotonic_ns());

		if (length < 0 || (size_t)length >= size)
			return -ENAMETOOLONG;
		fd = selfmon_kernel_open(name, REPORT_FLAGS | O_CREAT | O_EXCL);
	}
	return fd;
}

static int replace(const char *path, const char *text, size_t size)
{
	char name[SELFMON_PATH_SIZE + NAME_SIZE];
	const int fd = open_beside(path, name, sizeof(name));
	int error;

	if (fd < 0)
		return fd;
	error = put_and_close(fd, text, size);
	if (!error && rename(name, path))
		error = -errno;
	if (error)
		unlink(name);
	return error;
}

/* Refuses special files and files of other users. Always closes fd. */
static int overwrite(int fd, const char *text, size_t size)
{
	struct stat file;
	int error = 0;

	if (fstat(fd, &file))
		error = -errno;
	else if (!S_ISREG(file.st_mode) || file.st_uid != geteuid())
		error = -EACCES;
	if (error) {
		selfmon_output_close(fd);
		return error;
	}
	error = selfmon_output(fd, text, size);
	if (!error && ftruncate(fd, (off_t)size))
		error = -errno;
	selfmon_output_close(fd);
	return error;
}

/*
 * Returns true if the error is caused by the directory or the name, so that the
 * file may still be overwritten. Returns false for errors of the disk.
 */
static bool cannot_be_replaced(int error)
{
	return error == -EACCES || error == -EPERM || error == -EROFS ||
	       error == -EBUSY || error == -ENAMETOOLONG;
}

static int write_regular(const char *path, const char *text, size_t size)
{
	const int error = replace(path, text, size);
	int fd;

	if (!cannot_be_replaced(error))
		return error;
	fd = selfmon_kernel_open(path, REPORT_FLAGS | O_NONBLOCK);
	return fd == -ENOENT ? error : fd < 0 ? fd : overwrite(fd, text, size);
}

int selfmon_create_write(const char *path, const char *text, size_t size)
{
	const int named = named_descriptor(path);
	struct stat old;

	if (selfmon_kernel_is_secure())
		return -EPERM;
	if (named >= 0)
		return selfmon_output(named, text, size);
	if (!lstat(path, &old) && !S_ISREG(old.st_mode))
		return write_special(path, text, size);
	return write_regular(path, text, size);
}
