/* SPDX-License-Identifier: MIT */
#ifndef SELFMON_SESSION_EVENTS_H
#define SELFMON_SESSION_EVENTS_H

#include "store/process.h"

/*
 * Loads libpfm4 (platform/pfm.c) if a name of an event needs it; only the first
 * call does anything. Call this without the process lock, to avoid a deadlock:
 * loading waits for the loader's lock. A constructor in another thread may hold
 * the loader's lock, visit a region, and wait for the process lock.
 */
void selfmon_events_foresee(void);
/*
 * Chooses the events of the process, and opens them for the calling thread,
 * which is the first one. The caller holds the process lock.
 * selfmon_events_open() opens the same events for later threads, and takes the
 * process lock itself.
 */
void selfmon_events_choose(struct selfmon_process *process,
			   struct selfmon_thread *thread);
void selfmon_events_open(struct selfmon_process *process,
			 struct selfmon_thread *thread);

#endif
