/* SPDX-License-Identifier: MIT */
/* Memory mappings of the process, as the kernel lists them. */
#ifndef SELFMON_PLATFORM_MAPPING_H
#define SELFMON_PLATFORM_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The mapping [start, end), and the size of the inaccessible mapping directly
 * below it.
 */
struct selfmon_mapping {
	uint64_t start, end, guard;
};

/*
 * Finds the mapping that contains an address. Returns false if there is none,
 * or if this cannot be found out: /proc is missing, no descriptor is free, or
 * the list is too long to read. The kernel merges neighbours with the same
 * protection, so the mapping may contain more than what one call mapped.
 *
 * Async-signal-safe; allocates nothing. Block signals before: a handler that
 * jumps out would leave a descriptor open.
 */
bool selfmon_mapping_find(uint64_t address, struct selfmon_mapping *mapping);

/*
 * Cuts the mapping that contains the address at the nearest lightweight guard
 * page below it, if there is one within 16 MiB. Such guards are made by
 * MADV_GUARD_INSTALL of madvise(2), and do not split mappings. Before Linux
 * 6.15 none is found. Block signals as above.
 */
void selfmon_mapping_cut(uint64_t address, struct selfmon_mapping *mapping);

#endif
