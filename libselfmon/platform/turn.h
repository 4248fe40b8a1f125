/* SPDX-License-Identifier: MIT */
/*
 * What one thread of a process does, and the others wait for: once, or one
 * after the other.
 *
 * The word lies in memory that a forked child finds zeroed: it waits for no
 * thread of its parent's, and does for itself what is to be done in it. Whose
 * turn it is has no signal handlers but those of faults, and is not cancelled:
 * a handler that came here too would wait for the thread that it interrupted.
 */
#ifndef SELFMON_PLATFORM_TURN_H
#define SELFMON_PLATFORM_TURN_H

#include <stdbool.h>
#include <stdint.h>

#include "platform/aside.h"

struct selfmon_turn {
	uint32_t *word; /* NULL: as yet without memory */
};

/* 1: it is this thread's turn, to be ended. 0: it is done. -ENOMEM. */
int selfmon_turn_begin(struct selfmon_turn *turn,
		       struct selfmon_aside *holder);

/* done: nobody gets another turn in this process. */
void selfmon_turn_end(struct selfmon_turn *turn,
		      const struct selfmon_aside *holder, bool done);

bool selfmon_turn_is_done(const struct selfmon_turn *turn);

/* There is a turn to be had again; not while a thread has one. */
void selfmon_turn_reset(struct selfmon_turn *turn);

#endif
