/* SPDX-License-Identifier: MIT */
/* Reads the slowest visits of a live file. */
#ifndef SELFMON_REPORT_LIVE_SLOWEST_H
#define SELFMON_REPORT_LIVE_SLOWEST_H

#include "report/live_read.h"

/*
 * Stores the offset of a record, which may name regions that follow it in the
 * file. Returns 0 or -errno.
 */
int selfmon_live_note_slowest(struct selfmon_live_input *input, uint64_t offset,
			      uint64_t size);
/* Reads the records at the stored offsets. Call when all regions are known. */
int selfmon_live_slowest(struct selfmon_live_input *input);

#endif
