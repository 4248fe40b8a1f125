/* SPDX-License-Identifier: MIT */
#ifndef SELFMON_SESSION_OWNER_H
#define SELFMON_SESSION_OWNER_H

#include "store/process.h"

/*
 * Returns a new state, or the state of an exited thread. From now on the
 * calling thread owns the state. Returns NULL if out of memory. The caller
 * holds the process lock.
 */
struct selfmon_thread *selfmon_thread_own(struct selfmon_process *process);
/*
 * Releases the state of a thread that exits. The caller holds the process lock.
 */
void selfmon_thread_disown(struct selfmon_process *process,
			   struct selfmon_thread *thread);
/*
 * Looks up the current name of a live thread, if reports show the thread
 * separately. The caller holds the process lock.
 */
void selfmon_thread_look_up_name(const struct selfmon_process *process,
				 struct selfmon_thread *thread);

#endif
