/* SPDX-License-Identifier: MIT */
/* The library's allocator: does not use malloc, and frees nothing. */
#ifndef SELFMON_STORE_MEMORY_H
#define SELFMON_STORE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#define SELFMON_LINE ((size_t)64) /* cache line */

/*
 * These functions return zeroed memory that is never freed, or NULL. The memory
 * begins at a cache line, or `offset` bytes after the beginning of a cache
 * line.
 */
void *selfmon_memory_kept(size_t size);   /* fork() copies it */
void *selfmon_memory_wiped(size_t size);  /* wiped in a forked child */
void *selfmon_memory_wiped_at(size_t offset, size_t size);
/* Call this first. wipes: the kernel can wipe memory at fork(). */
void selfmon_memory_start(bool wipes);
/*
 * Call in a forked child: takes no more memory from the parent's wiped chunks,
 * and clears them if the kernel has not.
 */
void selfmon_memory_forked(void);

#endif
