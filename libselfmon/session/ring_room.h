/* SPDX-License-Identifier: MIT */
/*
 * Locked memory for rings. If the process counts events, rings take at most
 * half of the memory that may be locked: threads that start later need the
 * other half for the pages of their counters. Without such a page, a counter is
 * read by system call.
 */
#ifndef SELFMON_SESSION_RING_ROOM_H
#define SELFMON_SESSION_RING_ROOM_H

#include "store/process.h"

/*
 * Reserves memory for a ring. The first ring always gets it. Returns false if
 * rings have their half already. The caller holds the process lock.
 */
bool selfmon_ring_room_take(struct selfmon_process *process, uint64_t bytes);
void selfmon_ring_room_return(struct selfmon_process *process, uint64_t bytes);

#endif
