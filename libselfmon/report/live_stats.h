/* SPDX-License-Identifier: MIT */
/* Reads statistics from a live file. */
#ifndef SELFMON_REPORT_LIVE_STATS_H
#define SELFMON_REPORT_LIVE_STATS_H

#include "report/live_read.h"

/*
 * Sets *whole if no update was in progress during the read. Values may be
 * impossible; see selfmon_stats_complete().
 */
int selfmon_live_stats(struct selfmon_live_input *input, uint64_t offset,
		       struct selfmon_stats *stats, bool *whole);

#endif
