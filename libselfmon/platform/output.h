/* SPDX-License-Identifier: MIT */
/*
 * Writes text while the program may be about to exit: completely, without
 * raising a signal, and never into a file that the program opened for itself.
 */
#ifndef SELFMON_PLATFORM_OUTPUT_H
#define SELFMON_PLATFORM_OUTPUT_H

#include <stddef.h>

/* The first call stores which file standard error is. */
void selfmon_output_remember(void);

/*
 * Returns the descriptor of standard error, or -errno: -EBADF if it is closed,
 * -ESTALE if its number now belongs to an unrelated file.
 */
int selfmon_output_error(void);

/*
 * Writes the whole text. Returns 0 or -errno: -EPIPE and -EFBIG without the
 * signals that usually go with them; -EAGAIN if a non-blocking descriptor
 * accepts nothing for a second.
 */
int selfmon_output(int fd, const char *text, size_t size);

/* Closes the descriptor. Returns 0, or -errno if data could not be written. */
int selfmon_output_close(int fd);

#endif
