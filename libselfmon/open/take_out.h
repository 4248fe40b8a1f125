/* SPDX-License-Identifier: MIT */
/*
 * Entries taken out from below others, which move down and become children of
 * another visit. Signals are blocked, and the thread is busy.
 */
#ifndef SELFMON_OPEN_TAKE_OUT_H
#define SELFMON_OPEN_TAKE_OUT_H

#include "store/state.h"

/* Takes an entry out and puts it on top. Its visit stays open. */
void selfmon_take_out(struct selfmon_thread *thread,
		      struct selfmon_visit *open);

/*
 * Removes all entries without a visit, beginning with the lowest of them. Such
 * an entry still has the node of its last visit.
 */
void selfmon_take_out_ended(struct selfmon_thread *thread,
			    struct selfmon_visit *lowest);

#endif
