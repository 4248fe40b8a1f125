/* SPDX-License-Identifier: MIT */
/* Repairs statistics whose last update was not finished. */
#ifndef SELFMON_STORE_MEND_H
#define SELFMON_STORE_MEND_H

#include <stdbool.h>

#include "store/statistics.h"

/*
 * Limits all values to possible ones. An odd sequence means that an update was
 * not finished: a jump abandoned it, the process was killed, or a reader
 * stopped waiting for it. The visit of this update is counted, but its values
 * may be added or not. Returns true if any sum, minimum or maximum changed.
 */
bool selfmon_stats_mend(struct selfmon_stats *stats);
/*
 * Prepares a reader's copy for use. whole is true if no update was in progress
 * during the copy. Returns true if the copy includes a visit whose update was
 * not finished.
 */
bool selfmon_stats_complete(struct selfmon_stats *copy, bool whole);

#endif
