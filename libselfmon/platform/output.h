/* SPDX-License-Identifier: MIT */
/*
 * Writes text from a host that is about to end: completely, without raising a
 * signal, and never into a file of the host.
 */
#ifndef SELFMON_PLATFORM_OUTPUT_H
#define SELFMON_PLATFORM_OUTPUT_H

#include <stddef.h>

/* Remembers, at the first call, which file standard error is. */
void selfmon_output_remember(void);

/*
 * Returns the descriptor of standard error. Returns -ESTALE if the program
 * closed it and the number now belongs to an unrelated file, or another -errno.
 */
int selfmon_output_error(void);

/*
 * Writes a whole text. Returns 0 or -errno: -EPIPE and -EFBIG without their
 * signals, -EAGAIN if a non-blocking descriptor accepts nothing for a second.
 */
int selfmon_output(int fd, const char *text, size_t size);

/*
 * Closes the descriptor. Returns 0, or -errno of data that could not be
 * written.
 */
int selfmon_output_close(int fd);

#endif
