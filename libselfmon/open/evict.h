/* SPDX-License-Identifier: MIT */
/* Makes room for new visits by ending spans that were never left. */
#ifndef SELFMON_OPEN_EVICT_H
#define SELFMON_OPEN_EVICT_H

#include "store/state.h"

/*
 * Called if all entries are taken. Ends some of the oldest spans, but no
 * lexical visit. If a signal handler runs now that interrupted an enter or a
 * leave, ends nothing unless the caller insists. Returns false if there was no
 * span; without a search returns true if the visits are those that had no span
 * before.
 */
bool selfmon_evict(struct selfmon_thread *thread, bool insist);

/*
 * Called before the newest visit is recorded, if it moved out of its first
 * entry. Takes over a start that was read into the first entry after the move.
 */
void selfmon_evict_start(const struct selfmon_thread *thread,
			 const struct selfmon_visit *first);

#endif
