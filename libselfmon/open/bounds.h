/* SPDX-License-Identifier: MIT */
/*
 * The bounds of a thread's own stack. Most threads never need the exact ones:
 * the bounds are guessed at first, and looked up when a visit does not fit.
 */
#ifndef SELFMON_OPEN_BOUNDS_H
#define SELFMON_OPEN_BOUNDS_H

#include "store/state.h"

/*
 * Guesses the bounds at the thread's first visit. `here` is an address on the
 * thread's stack.
 */
void selfmon_bounds_begin(struct selfmon_thread *thread, uint64_t here);

/*
 * Replaces guessed bounds by exact ones. Called by the thread itself, with
 * signals blocked.
 */
void selfmon_bounds_settle(struct selfmon_thread *thread);

/*
 * Called when a visit begins at an address outside of the bounds. The bounds
 * may be outdated, so they are looked up again.
 */
void selfmon_bounds_review(struct selfmon_thread *thread, uint64_t address);

/*
 * Copies the bounds to the thread state of a calibration, whose visits run on
 * the stack of `from`.
 */
void selfmon_bounds_copy(struct selfmon_thread *to,
			 const struct selfmon_thread *from);

#endif
