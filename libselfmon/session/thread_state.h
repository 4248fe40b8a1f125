/* SPDX-License-Identifier: MIT */
/* Makes the states of threads, and adds entries to them. */
#ifndef SELFMON_SESSION_THREAD_STATE_H
#define SELFMON_SESSION_THREAD_STATE_H

#include "store/process.h"

/*
 * Returns a new state without an owner, or NULL if out of memory. If `seen` is
 * true, reports and the live file include the state. The caller holds the
 * process lock.
 */
struct selfmon_thread *selfmon_thread_make(struct selfmon_process *process,
					   bool seen);
/*
 * Makes room for more open visits. Returns false if SELFMON_DEPTH_MAX is
 * reached.
 */
bool selfmon_thread_deepen(struct selfmon_thread *thread);

#endif
