/* SPDX-License-Identifier: MIT */
/*
 * Text on its way out of a host that is about to end: whole, without a signal,
 * and into no file that is the host's own.
 */
#ifndef SELFMON_PLATFORM_PUT_H
#define SELFMON_PLATFORM_PUT_H

#include <stddef.h>

/* Remembers, at the first call, which file standard error is. */
void selfmon_put_remember(void);

/*
 * The descriptor of standard error; -ESTALE where that number is, by now, of a
 * file that nobody can have meant for it: the program closed it, and opened
 * something else. -errno.
 */
int selfmon_put_error(void);

/*
 * Writes all of a text. 0 or -errno: -EPIPE and -EFBIG without their signals,
 * -EAGAIN if a descriptor that does not block takes nothing for a second.
 */
int selfmon_put(int fd, const char *text, size_t size);

/* 0, or -errno of what was still to be written; closed in any case. */
int selfmon_put_close(int fd);

#endif
