/* SPDX-License-Identifier: MIT */
/* Ends visits that counted units. */
#ifndef SELFMON_VISIT_WORKED_H
#define SELFMON_VISIT_WORKED_H

#include "store/work.h"

/*
 * Both record a visit that measured time alone and is neither the longest nor
 * the shortest so far. Its node counts one unit, or several. The functions have
 * a file of their own, since the file of their caller is compiled for size.
 */
void selfmon_leave_work(struct selfmon_visit *open, uint64_t ticks);
void selfmon_leave_works(struct selfmon_visit *open, uint64_t ticks);

#endif
