/* SPDX-License-Identifier: MIT */
/*
 * Work that one thread of a process does while others wait: once, or one after
 * the other.
 *
 * The word is in memory that is zeroed in a forked child, which does not wait
 * for a thread of its parent and repeats the work for itself. The owner of the
 * turn has signal handlers (except those of faults) and cancellation blocked: a
 * handler that came here would wait for the thread that it interrupted.
 */
#ifndef SELFMON_PLATFORM_ONCE_H
#define SELFMON_PLATFORM_ONCE_H

#include <stdbool.h>
#include <stdint.h>

#include "platform/critical.h"

struct selfmon_once {
	uint32_t *word; /* NULL: no memory yet */
};

/*
 * Returns 1 if it is this thread's turn, which must be ended; 0 if the work is
 * done; or -ENOMEM.
 */
int selfmon_once_begin(struct selfmon_once *turn,
		       struct selfmon_critical *holder);

/* done: no thread gets another turn in this process. */
void selfmon_once_end(struct selfmon_once *turn,
		      const struct selfmon_critical *holder, bool done);

bool selfmon_once_is_done(const struct selfmon_once *turn);

/*
 * Makes the work undone, so that a thread does it again. Must not be called
 * while a thread is doing it.
 */
void selfmon_once_reset(struct selfmon_once *turn);

#endif
