/* SPDX-License-Identifier: MIT */
/* Repairs statistics whose last update was not completed. */
#ifndef SELFMON_STORE_MEND_H
#define SELFMON_STORE_MEND_H

#include <stdbool.h>

#include "store/statistics.h"

/*
 * Limits all values to possible ones. An odd sequence means that an update was
 * not completed: a jump abandoned it, the process ended, or a reader stopped
 * waiting for it. The visit of that update is counted; its values may or may
 * not have been added. Returns true if any sum changed.
 */
bool selfmon_stats_mend(struct selfmon_stats *stats);
/*
 * Completes a reader's copy. whole is true if the copy was made between two
 * updates. Returns true if the copy includes a visit whose update was not
 * completed.
 */
bool selfmon_stats_complete(struct selfmon_stats *copy, bool whole);

#endif
