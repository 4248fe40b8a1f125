/* SPDX-License-Identifier: MIT */
/* Reads the records of a live file. */
#ifndef SELFMON_REPORT_LIVE_ROWS_H
#define SELFMON_REPORT_LIVE_ROWS_H

#include "report/live_read.h"

/* Copies a region that was read from a file. Returns NULL if out of memory. */
struct selfmon_region *
selfmon_live_region_copy(const struct selfmon_region *from);
/* Reads all records into input->gather. */
int selfmon_live_rows(struct selfmon_live_input *input);

#endif
