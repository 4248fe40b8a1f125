/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "platform/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 1000

/* ---- standard error ------------------------------------------------------ */

/* Identity of the original standard error; st_mode is 0 if it was closed. */
static struct stat first;
static bool remembered;

static bool is_one_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
	       a->st_rdev == b->st_rdev;
}

void selfmon_output_remember(void)
{
	const int before = errno;

	if (!remembered && fstat(STDERR_FILENO, &first))
		first.st_mode = 0; /* closed: no file has this mode */
	remembered = true;
	errno = before;
}

/*
 * Returns true if the program redirected the descriptor on purpose, as a daemon
 * redirects it to a log. Accepts a device (a terminal, /dev/null), which stores
 * no data, a file opened for appending, and whatever is also standard output,
 * such as a log file or a pipe.
 */
static bool is_redirected(int fd, const struct stat *now)
{
	const int flags = fcntl(fd, F_GETFL);
	struct stat output;

	if (S_ISCHR(now->st_mode))
		return true;
	if (S_ISREG(now->st_mode) && flags >= 0 && flags & O_APPEND)
		return true;
	return !fstat(STDOUT_FILENO, &output) && is_one_file(now, &output);
}

int selfmon_output_error(void)
{
	const int fd = fileno(stderr);
	struct stat now;

	if (fd < 0 || fstat(fd, &now))
		return -EBADF;
	if (remembered && !(first.st_mode && is_one_file(&now, &first)) &&
	    !is_redirected(fd, &now))
		return -ESTALE;
	return fd;
}

/* ---- without a signal ---------------------------------------------------- */

/*
 * Signals that the kernel sends to a thread that writes (fs/read_write.c,
 * fs/pipe.c).
 */
static const int of_writing[] = { SIGPIPE, SIGXFSZ };

struct quiet {
	sigset_t mask, pending, ours;
};

static void quiet_begin(struct quiet *quiet)
{
	size_t i;

	sigpending(&quiet->pending);
	sigemptyset(&quiet->ours);
	for (i = 0; i < sizeof(of_writing) / sizeof(of_writing[0]); i++)
		sigaddset(&quiet->ours, of_writing[i]);
	pthread_sigmask(SIG_BLOCK, &quiet->ours, &quiet->mask);
}

/*
 * Discards the signals that arrived since quiet_begin(), and leaves those that
 * were pending before.
 */
static void quiet_end(struct quiet *quiet)
{
	const struct timespec now = { .tv_sec = 0 };
	size_t i;

	for (i = 0; i < sizeof(of_writing) / sizeof(of_writing[0]); i++)
		if (sigismember(&quiet->pending, of_writing[i]) == 1)
			sigdelset(&quiet->ours, of_writing[i]);
	while (sigtimedwait(&quiet->ours, NULL, &now) > 0 || errno == EINTR)
		;
	pthread_sigmask(SIG_SETMASK, &quiet->mask, NULL);
}

static bool takes_more(int fd)
{
	struct pollfd wait = { .fd = fd, .events = POLLOUT };

	return poll(&wait, 1, PATIENCE_MS) > 0;
}

static int put_whole(int fd, const char *text, size_t size)
{
	ssize_t n;

	while (size > 0) {
		n = write(fd, text, size);
		if (n < 0 && errno != EINTR &&
		    !(errno == EAGAIN && takes_more(fd)))
			return -errno;
		if (n > 0) {
			text += n;
			size -= (size_t)n;
		}
	}
	return 0;
}

int selfmon_output_close(int fd)
{
	return close(fd) && errno != EINTR ? -errno : 0;
}

int selfmon_output(int fd, const char *text, size_t size)
{
	struct quiet quiet;
	int error;

	quiet_begin(&quiet);
	error = put_whole(fd, text, size);
	quiet_end(&quiet);
	return error;
}
