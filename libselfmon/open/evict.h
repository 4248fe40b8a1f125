/* SPDX-License-Identifier: MIT */
/* Makes room for new visits by ending spans that were never left. */
#ifndef SELFMON_OPEN_EVICT_H
#define SELFMON_OPEN_EVICT_H

#include "store/state.h"

/*
 * Called if all entries are in use. Ends some of the oldest spans, but no
 * lexical visit. Does nothing in a signal handler that interrupted an enter or
 * a leave, unless `insist` is true. Returns true if it ended a span. Also
 * returns true, without a search, if the last search found no span and the
 * newest visit is still the same.
 */
bool selfmon_evict(struct selfmon_thread *thread, bool insist);

/*
 * Called before the newest visit is recorded, if its entry was moved. `first`
 * is the entry in which the visit began. If the start was written to `first`
 * after the move, copies the start.
 */
void selfmon_evict_start(const struct selfmon_thread *thread,
			 const struct selfmon_visit *first);

#endif
