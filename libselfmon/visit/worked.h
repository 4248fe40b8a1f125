/* SPDX-License-Identifier: MIT */
/* The end of a visit that counted units. */
#ifndef SELFMON_VISIT_WORKED_H
#define SELFMON_VISIT_WORKED_H

#include "store/work.h"

/*
 * Record a visit with time alone, neither the longest yet nor the shortest, of
 * a place that counts one unit, or several. In a file of their own, since their
 * caller is compiled for size.
 */
void selfmon_leave_work(struct selfmon_visit *open, uint64_t ticks);
void selfmon_leave_works(struct selfmon_visit *open, uint64_t ticks);

#endif
