/* SPDX-License-Identifier: MIT */
/* The memory of regions: allocated without malloc, never freed. */
#ifndef SELFMON_STORE_MEMORY_H
#define SELFMON_STORE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#define SELFMON_LINE ((size_t)64) /* cache line */

/*
 * Both return zeroed memory that is never freed, or NULL. The memory begins at
 * a cache line, or offset bytes after the beginning of one.
 */
void *selfmon_memory_kept(size_t size);   /* a forked child keeps it */
void *selfmon_memory_wiped(size_t size);  /* a forked child finds zeros */
void *selfmon_memory_wiped_at(size_t offset, size_t size);
/* Call first; wipes: whether the kernel can wipe memory on fork. */
void selfmon_memory_start(bool wipes);
/* Call in the child: drops the wiped chunks. */
void selfmon_memory_forked(void);

#endif
