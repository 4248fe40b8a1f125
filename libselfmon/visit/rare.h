/* SPDX-License-Identifier: MIT */
/*
 * Ends visits of user.c for which the difference of the registers may not be
 * the count.
 */
#ifndef SELFMON_VISIT_RARE_H
#define SELFMON_VISIT_RARE_H

#include "store/state.h"

/*
 * Discards the counters that leave has read, or could not read, and ends the
 * visit on the slow path, which reads them again.
 */
void selfmon_leave_again(struct selfmon_visit *open);
/*
 * Ends a visit for which leave has read the registers: count has their
 * differences, and locks is the sum of the locks at the end.
 */
void selfmon_leave_unusual(struct selfmon_visit *open, uint64_t ticks,
			   uint32_t locks, const uint64_t *count);

#endif
