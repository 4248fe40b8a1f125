/* SPDX-License-Identifier: MIT */
/* Room for new visits, of spans that were never left. */
#ifndef SELFMON_OPEN_EVICT_H
#define SELFMON_OPEN_EVICT_H

#include "store/state.h"

/*
 * Called if all entries are taken. Ends some of the oldest spans, and no
 * lexical visit. If a handler runs now that interrupted an enter or a leave,
 * nothing is evicted unless the caller insists. Returns false if no span was
 * found, but true if the same visits had none before.
 */
bool selfmon_evict(struct selfmon_thread *thread, bool insist);

/*
 * Called before the newest visit is recorded, if its entry is not the one that
 * it was given first: takes over a start that was read after the move.
 */
void selfmon_evict_start(const struct selfmon_thread *thread,
			 const struct selfmon_visit *first);

#endif
