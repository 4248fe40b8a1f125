/* SPDX-License-Identifier: MIT */
#ifndef SELFMON_PLATFORM_CREATE_H
#define SELFMON_PLATFORM_CREATE_H

#include <stddef.h>

/*
 * Writes a file with this text, mode 0600. An existing regular file is replaced
 * atomically: the text is written to a new file in the same directory, which is
 * then renamed. If that fails, the old file is unchanged.
 *
 * If the directory allows no new file, or the name cannot be replaced (a mount
 * point), an existing file of the effective user is overwritten in place and
 * keeps its mode.
 *
 * A device or a FIFO is written directly, without waiting for a FIFO's reader.
 * /dev/stdout, /dev/stderr, /dev/fd/N and /proc/self/fd/N are the program's own
 * descriptors.
 *
 * Returns 0 or -errno: -ELOOP for a symbolic link, always -EPERM if
 * selfmon_kernel_is_secure().
 */
int selfmon_create_write(const char *path, const char *text, size_t size);

#endif
