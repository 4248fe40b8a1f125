/* SPDX-License-Identifier: MIT */
/* States of threads: made, and extended by entries. */
#ifndef SELFMON_SESSION_THREAD_STATE_H
#define SELFMON_SESSION_THREAD_STATE_H

#include "store/process.h"

/*
 * Returns a new state without an owner; under the process lock. seen: the state
 * appears in reports and in the live file.
 */
struct selfmon_thread *selfmon_thread_make(struct selfmon_process *process,
					   bool seen);
/* Makes room for more open visits; false: there are SELFMON_DEPTH_MAX. */
bool selfmon_thread_deepen(struct selfmon_thread *thread);

#endif
