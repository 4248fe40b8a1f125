/* SPDX-License-Identifier: MIT */
/* Creates the files that reports go to: the only ones the library writes. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/kernel.h"

/*
 * The names of the program's own descriptors, which are symbolic links; -1
 * for any other.
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

/*
 * O_NONBLOCK for the open alone: a FIFO that nobody reads must not keep the
 * program from ending.
 */
static int create(const char *path)
{
	const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC |
			  O_NOFOLLOW | O_NOCTTY | O_NONBLOCK;
	int fd, status;

	do {
		fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0600);
	} while (fd < 0 && errno == EINTR);
	if (fd < 0)
		return -errno;
	status = fcntl(fd, F_GETFL);
	if (status >= 0)
		fcntl(fd, F_SETFL, status & ~O_NONBLOCK);
	return fd;
}

int selfmon_kernel_create_file(const char *path)
{
	const int named = named_descriptor(path);
	int fd;

	if (selfmon_kernel_is_secure())
		return -EPERM;
	if (named < 0)
		return create(path);
	fd = fcntl(named, F_DUPFD_CLOEXEC, 0);
	return fd < 0 ? -errno : fd;
}
