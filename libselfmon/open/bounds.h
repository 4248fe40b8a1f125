/* SPDX-License-Identifier: MIT */
/*
 * The bounds of a thread's own stack. The bounds of the main stack are known.
 * For other stacks they are guessed at first, which is enough for most threads.
 * A visit outside of the guess, a jump, or a leave out of order makes the
 * thread look up the bounds. Code that ends abandoned visits never relies on a
 * guess.
 */
#ifndef SELFMON_OPEN_BOUNDS_H
#define SELFMON_OPEN_BOUNDS_H

#include "store/state.h"

/*
 * Sets the bounds at the thread's first visit: guesses them or, on the main
 * stack and far from the upper end of other stacks, finds them. `here` is an
 * address on the thread's stack. See selfmon_stack_guess().
 */
void selfmon_bounds_begin(struct selfmon_thread *thread, uint64_t here);

/*
 * Looks up the bounds if they are only guessed. The result may be wide: see
 * platform/stack.h. Called by the thread itself, with signals blocked.
 */
void selfmon_bounds_settle(struct selfmon_thread *thread);

/*
 * Called when a visit begins at an address outside of the bounds or, if the
 * bounds are guessed, above the newest visit. Looks up guessed bounds. Lowers
 * an exact lower bound if the main stack has grown.
 */
void selfmon_bounds_review(struct selfmon_thread *thread, uint64_t address);

/*
 * Copies the bounds to the thread state of a calibration, whose visits run on
 * the stack of `from`.
 */
void selfmon_bounds_copy(struct selfmon_thread *to,
			 const struct selfmon_thread *from);

#endif
