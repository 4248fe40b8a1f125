/* SPDX-License-Identifier: MIT */
/*
 * Removes entries that are not the newest. The entries above move down and
 * become children of another visit. The caller has blocked signals, and has
 * marked the thread as busy.
 */
#ifndef SELFMON_OPEN_TAKE_OUT_H
#define SELFMON_OPEN_TAKE_OUT_H

#include "store/state.h"

/* Moves this entry to the top. Its visit stays open. */
void selfmon_take_out(struct selfmon_thread *thread,
		      struct selfmon_visit *open);

/*
 * Removes all entries without a visit. `lowest` is the lowest of them, and
 * still has the node of its last visit.
 */
void selfmon_take_out_ended(struct selfmon_thread *thread,
			    struct selfmon_visit *lowest);

#endif
