/* SPDX-License-Identifier: MIT */
/* Reads the slowest visits of a live file. */
#ifndef SELFMON_REPORT_LIVE_SLOWEST_H
#define SELFMON_REPORT_LIVE_SLOWEST_H

#include "report/live_read.h"

/*
 * Notes a record, since it may name regions that follow it. Returns 0 or
 * -errno.
 */
int selfmon_live_note_slowest(struct selfmon_live_input *input, uint64_t offset,
			      uint64_t size);
/* Reads the noted records, when all regions are known. */
int selfmon_live_slowest(struct selfmon_live_input *input);

#endif
