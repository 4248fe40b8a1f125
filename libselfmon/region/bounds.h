/* SPDX-License-Identifier: MIT */
/*
 * Bounds of a thread's own stack in its state. Most threads never need to know
 * them: they are guessed at first, and asked for when a visit does not fit.
 */
#ifndef SELFMON_REGION_BOUNDS_H
#define SELFMON_REGION_BOUNDS_H

#include "region/state.h"

/* The calling thread's first visit, on the stack with this address. */
void selfmon_bounds_begin(struct selfmon_thread *thread, uint64_t here);

/*
 * Replaces guessed bounds, if they still are. Signals are blocked, and the
 * thread is the caller's.
 */
void selfmon_bounds_settle(struct selfmon_thread *thread);

/* A visit begins at this address, outside of the bounds: are they out of date? */
void selfmon_bounds_review(struct selfmon_thread *thread, uint64_t address);

/* The calibration's visits run on this thread's stack. */
void selfmon_bounds_copy(struct selfmon_thread *to,
			 const struct selfmon_thread *from);

#endif
