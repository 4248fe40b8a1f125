/* SPDX-License-Identifier: MIT */
/* Memory mappings of the process, as the kernel lists them. */
#ifndef SELFMON_PLATFORM_MAPPING_H
#define SELFMON_PLATFORM_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

/* [start, end), and the size of the inaccessible mapping directly below. */
struct selfmon_mapping {
	uint64_t start, end, guard;
};

/*
 * Finds the mapping that contains an address. Returns false if there is none,
 * or if the kernel does not say: no /proc, no descriptor left, or a list that
 * is too long to read. The kernel merges neighbours with the same protection,
 * so the mapping may contain more than one call mapped.
 *
 * Async-signal-safe; allocates nothing. Block signals: a handler that jumps out
 * would leave a descriptor open.
 */
bool selfmon_mapping_find(uint64_t address, struct selfmon_mapping *mapping);

/*
 * Cuts a mapping that contains the address off at the nearest lightweight guard
 * below it, if there is one within 16 MiB: MADV_GUARD_INSTALL of madvise(2)
 * creates no separate mapping. Finds nothing before Linux 6.15. Signals: as
 * above.
 */
void selfmon_mapping_cut(uint64_t address, struct selfmon_mapping *mapping);

#endif
