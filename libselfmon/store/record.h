/* SPDX-License-Identifier: MIT */
/*
 * Records: statistics and open visits lie in them, in memory and in the live
 * file alike. A record begins with its type and size.
 */
#ifndef SELFMON_STORE_RECORD_H
#define SELFMON_STORE_RECORD_H

#include <stdint.h>

/*
 * A reader skips records of an unknown type with this bit, and refuses other
 * unknown types. A type that is added later, and that the known ones can be
 * read without, has the bit.
 */
#define SELFMON_RECORD_OPTIONAL (UINT32_C(1) << 31)

enum selfmon_record_type {
	SELFMON_RECORD_REST = 1, /* unused rest of a chunk */
	SELFMON_RECORD_REGION,	 /* struct selfmon_live_region: in files only */
	SELFMON_RECORD_THREAD,	 /* struct selfmon_thread_record */
	SELFMON_RECORD_NODE	 /* struct selfmon_node */
};

#define SELFMON_RECORD_WORK (SELFMON_RECORD_OPTIONAL | 1) /* store/work.h */
/* store/ring_state.h */
#define SELFMON_RECORD_RING (SELFMON_RECORD_OPTIONAL | 2)
#define SELFMON_RECORD_SLOWEST (SELFMON_RECORD_OPTIONAL | 3) /* store/slowest.h */

struct selfmon_record {
	uint32_t type;
	uint32_t size; /* in the file a multiple of SELFMON_LIVE_ALIGN */
};

#endif
