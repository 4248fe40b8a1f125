/* SPDX-License-Identifier: MIT */
/*
 * Bounds of a thread's own stack. Most threads never need the exact ones:
 * bounds are guessed at first, and looked up when a visit does not fit.
 */
#ifndef SELFMON_OPEN_BOUNDS_H
#define SELFMON_OPEN_BOUNDS_H

#include "store/state.h"

/*
 * Guesses the bounds at the thread's first visit, on the stack with this
 * address.
 */
void selfmon_bounds_begin(struct selfmon_thread *thread, uint64_t here);

/*
 * Replaces bounds that are still guessed. Signals are blocked, and the thread
 * is the calling one.
 */
void selfmon_bounds_settle(struct selfmon_thread *thread);

/* Updates outdated bounds; a visit begins at this address, outside of them. */
void selfmon_bounds_review(struct selfmon_thread *thread, uint64_t address);

/* For calibration: its visits run on this thread's stack. */
void selfmon_bounds_copy(struct selfmon_thread *to,
			 const struct selfmon_thread *from);

#endif
