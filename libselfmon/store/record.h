/* SPDX-License-Identifier: MIT */
/*
 * Records hold statistics and open visits, in the same form in memory and in
 * the live file. A record begins with its type and size.
 */
#ifndef SELFMON_STORE_RECORD_H
#define SELFMON_STORE_RECORD_H

#include <stdint.h>

/*
 * Set in types that a reader may skip. A reader skips records of unknown types
 * that have this bit, and rejects files with other unknown types. A new type
 * gets the bit if readers can understand the other records without it.
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
	uint32_t size; /* in files, a multiple of SELFMON_LIVE_ALIGN */
};

#endif
