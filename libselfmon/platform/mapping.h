/* SPDX-License-Identifier: MIT */
/* Memory mappings of the process, as the kernel lists them. */
#ifndef SELFMON_PLATFORM_MAPPING_H
#define SELFMON_PLATFORM_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A mapping [start, end), and the size of the inaccessible mapping directly
 * below it.
 */
struct selfmon_mapping {
	uint64_t start, end, guard;
};

/*
 * Finds the mapping that contains an address. Returns false if there is none,
 * or if the mappings cannot be read: /proc is missing, no descriptor is free,
 * or the list is too long to read. The kernel merges neighbours with the same
 * protection, so the mapping may contain more than what one call mapped.
 *
 * Async-signal-safe; allocates nothing. The caller must block signals: a
 * handler that jumps out would leave a descriptor open.
 */
bool selfmon_mapping_find(uint64_t address, struct selfmon_mapping *mapping);

/*
 * Cuts *mapping, which contains the address, at the nearest lightweight guard
 * page below the address, if there is one within 16 MiB. Lightweight guards are
 * made by madvise(MADV_GUARD_INSTALL) and do not split mappings. Before Linux
 * 6.15 they cannot be found. The caller must block signals, as above.
 */
void selfmon_mapping_cut(uint64_t address, struct selfmon_mapping *mapping);

#endif
