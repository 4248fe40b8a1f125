/* SPDX-License-Identifier: MIT */
/* Memory mappings of the process, as the kernel lists them. */
#ifndef SELFMON_PLATFORM_MAPPING_H
#define SELFMON_PLATFORM_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

/* [start, end), and how much right below it is mapped but inaccessible. */
struct selfmon_mapping {
	uint64_t start, end, guard;
};

/*
 * Finds the mapping that contains an address. Returns false if there is none,
 * or if the kernel does not say: no /proc, no descriptor left, or a list that
 * is too long to be read. The kernel merges neighbours of the same protection:
 * the mapping may contain more than was mapped by one call.
 *
 * Async-signal-safe; allocates nothing. Signals should be blocked: a handler
 * that jumps out would leave a descriptor open.
 */
bool selfmon_mapping_find(uint64_t address, struct selfmon_mapping *mapping);

/*
 * Cuts a mapping that contains the address off at the nearest lightweight guard
 * below it, if there is one within 16 MiB: MADV_GUARD_INSTALL of madvise(2)
 * makes no mapping of its own. Nothing is found before Linux 6.15. As above.
 */
void selfmon_mapping_cut(uint64_t address, struct selfmon_mapping *mapping);

#endif
