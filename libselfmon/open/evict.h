/* SPDX-License-Identifier: MIT */
/* Makes room for new visits by ending spans that were never left. */
#ifndef SELFMON_OPEN_EVICT_H
#define SELFMON_OPEN_EVICT_H

#include "store/state.h"

/*
 * Called if all entries are in use. Ends some of the oldest spans, but no
 * lexical visit. Does nothing in a signal handler that interrupted an enter or
 * a leave, unless `insist` is true. Returns false if there was no span. If the
 * last call found no span and the newest visit is still the same, returns true
 * without a search.
 */
bool selfmon_evict(struct selfmon_thread *thread, bool insist);

/*
 * Called before the newest visit is recorded, if its entry was moved. If the
 * start was written to the old entry after the move, copies the start.
 */
void selfmon_evict_start(const struct selfmon_thread *thread,
			 const struct selfmon_visit *first);

#endif
