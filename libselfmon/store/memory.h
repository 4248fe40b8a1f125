/* SPDX-License-Identifier: MIT */
/* Memory of regions: never freed, without malloc. */
#ifndef SELFMON_STORE_MEMORY_H
#define SELFMON_STORE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#define SELFMON_LINE ((size_t)64) /* cache line */

/*
 * Return zeroed memory that is never freed, or NULL. The memory begins at a
 * cache line, or offset bytes after the beginning of one.
 */
void *selfmon_memory_kept(size_t size);   /* a forked child keeps it */
void *selfmon_memory_wiped(size_t size);  /* a forked child finds zeros */
void *selfmon_memory_wiped_at(size_t offset, size_t size);
void selfmon_memory_start(bool wipes);    /* first; wipes: the kernel can */
void selfmon_memory_forked(void);         /* in the child: start over */

#endif
