/* SPDX-License-Identifier: MIT */
/*
 * Work that one thread of a process does while others wait. The work is done
 * once, or repeatedly by one thread at a time.
 *
 * The state is in memory that is zeroed in a forked child: the child does not
 * wait for a thread of its parent, and does the work itself. The working thread
 * has cancellation and signals (except those of faults) blocked: a handler that
 * called selfmon_once_begin() would wait for the thread that it interrupted.
 */
#ifndef SELFMON_PLATFORM_ONCE_H
#define SELFMON_PLATFORM_ONCE_H

#include <stdbool.h>
#include <stdint.h>

#include "platform/critical.h"

struct selfmon_once {
	uint32_t *word; /* NULL: not yet allocated */
};

/*
 * Returns 1 if this thread must do the work and then call selfmon_once_end().
 * Returns 0 if the work is done, or -ENOMEM.
 */
int selfmon_once_begin(struct selfmon_once *turn,
		       struct selfmon_critical *holder);

/*
 * Ends the work. If done is false, the next thread in selfmon_once_begin(),
 * perhaps one that waits there, does the work. Restores what is in *holder.
 */
void selfmon_once_end(struct selfmon_once *turn,
		      const struct selfmon_critical *holder, bool done);

bool selfmon_once_is_done(const struct selfmon_once *turn);

/*
 * Marks the work as not done, so that it is done again. Do not call this while
 * a thread does the work.
 */
void selfmon_once_reset(struct selfmon_once *turn);

#endif
