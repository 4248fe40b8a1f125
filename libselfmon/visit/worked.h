/* SPDX-License-Identifier: MIT */
/* Ends visits that have counted units. */
#ifndef SELFMON_VISIT_WORKED_H
#define SELFMON_VISIT_WORKED_H

#include "store/work.h"

/*
 * Record a visit that measured time alone and is neither the longest nor the
 * shortest so far. Its node counts one unit (first function) or several (second
 * function).
 */
void selfmon_leave_work(struct selfmon_visit *open, uint64_t ticks);
void selfmon_leave_works(struct selfmon_visit *open, uint64_t ticks);

#endif
