/* SPDX-License-Identifier: MIT */
/* Ends abandoned visits, and handles leaves that are out of order. */
#ifndef SELFMON_OPEN_UNWIND_H
#define SELFMON_OPEN_UNWIND_H

#include "store/state.h"

void selfmon_unwind_abandoned(struct selfmon_thread *thread,
			      const struct selfmon_frame *frame,
			      uint64_t address);
bool selfmon_unwind_strange(struct selfmon_thread *thread, uint64_t address);
void selfmon_unwind_sweep(struct selfmon_thread *thread, uint64_t address);
bool selfmon_unwind_to(struct selfmon_thread *thread,
		       const struct selfmon_frame *frame);
void selfmon_unwind_cut_off(struct selfmon_thread *thread);
/*
 * Cuts off the entry's visit. Meanwhile no handler may begin a visit: signals
 * are blocked, or a switch of fibers is in progress. Afterwards the entry has
 * no visit.
 */
void selfmon_unwind_end(struct selfmon_visit *open);

#endif
