/* SPDX-License-Identifier: MIT */
/* Repairs statistics whose last update did not end. */
#ifndef SELFMON_STORE_MEND_H
#define SELFMON_STORE_MEND_H

#include <stdbool.h>

#include "store/statistics.h"

/*
 * Limits all values to possible ones, whatever they were. An odd sequence means
 * that an update did not end: a jump abandoned it, the process ended, or a
 * reader stopped waiting for it. The visit of that update counts; its values
 * may or may not have been added. Returns true if any sum changed.
 */
bool selfmon_stats_mend(struct selfmon_stats *stats);
/*
 * Completes a reader's copy. whole: the copy was made between two updates.
 * Returns true if the copy includes the visit of an update that had not ended.
 */
bool selfmon_stats_complete(struct selfmon_stats *copy, bool whole);

#endif
