/* SPDX-License-Identifier: MIT */
/* The process lock. Its holder has signals blocked and cannot be cancelled. */
#ifndef SELFMON_STORE_LOCK_H
#define SELFMON_STORE_LOCK_H

#include "store/process.h"

void selfmon_process_lock(struct selfmon_process *process);
void selfmon_process_unlock(struct selfmon_process *process);
void selfmon_process_unlock_as(struct selfmon_process *process,
			       struct selfmon_thread *thread);

#endif
