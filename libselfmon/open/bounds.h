/* SPDX-License-Identifier: MIT */
/*
 * The bounds of a thread's own stack. Most threads never need the exact ones:
 * the bounds are guessed at first, and looked up when a visit does not fit.
 */
#ifndef SELFMON_OPEN_BOUNDS_H
#define SELFMON_OPEN_BOUNDS_H

#include "store/state.h"

/*
 * Guesses the bounds at the thread's first visit. here is an address on its
 * stack.
 */
void selfmon_bounds_begin(struct selfmon_thread *thread, uint64_t here);

/*
 * If the bounds are still guessed, replaces them by the exact ones. The thread
 * is the calling one, and has blocked signals.
 */
void selfmon_bounds_settle(struct selfmon_thread *thread);

/*
 * Updates outdated bounds, because a visit begins at this address outside of
 * them.
 */
void selfmon_bounds_review(struct selfmon_thread *thread, uint64_t address);

/*
 * Copies the bounds for calibration, whose visits run on the stack of `from`.
 */
void selfmon_bounds_copy(struct selfmon_thread *to,
			 const struct selfmon_thread *from);

#endif
