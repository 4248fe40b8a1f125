/* SPDX-License-Identifier: MIT */
/* Reads statistics from a live file. */
#ifndef SELFMON_REPORT_LIVE_STATS_H
#define SELFMON_REPORT_LIVE_STATS_H

#include "report/live_read.h"

/*
 * Reads a node's statistics. Sets *whole if no update was in progress
 * meanwhile. The values may be impossible until selfmon_stats_complete() has
 * repaired them. Returns 0 or -errno.
 */
int selfmon_live_stats(struct selfmon_live_input *input, uint64_t offset,
		       struct selfmon_stats *stats, bool *whole);

#endif
