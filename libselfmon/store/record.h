/* SPDX-License-Identifier: MIT */
/*
 * Records contain statistics and open visits, with the same layout in memory
 * and in the live file. Each begins with its type and size.
 */
#ifndef SELFMON_STORE_RECORD_H
#define SELFMON_STORE_RECORD_H

#include <stdint.h>

/*
 * A type with this bit may be skipped by a reader that does not know it. If a
 * file has an unknown type without this bit, the reader rejects the file. A new
 * type gets the bit if readers can understand all other records without the new
 * ones.
 */
#define SELFMON_RECORD_OPTIONAL (UINT32_C(1) << 31)

enum selfmon_record_type {
	SELFMON_RECORD_REST = 1, /* the unused rest of a chunk */
	SELFMON_RECORD_REGION,	 /* struct selfmon_live_region; only in files */
	SELFMON_RECORD_THREAD,	 /* struct selfmon_thread_record */
	SELFMON_RECORD_NODE	 /* struct selfmon_node */
};

#define SELFMON_RECORD_WORK (SELFMON_RECORD_OPTIONAL | 1) /* store/work.h */
/* store/ring_state.h */
#define SELFMON_RECORD_RING (SELFMON_RECORD_OPTIONAL | 2)
#define SELFMON_RECORD_SLOWEST (SELFMON_RECORD_OPTIONAL | 3) /* store/slowest.h */

struct selfmon_record {
	uint32_t type;
	uint32_t size; /* in a file: a multiple of SELFMON_LIVE_ALIGN */
};

#endif
