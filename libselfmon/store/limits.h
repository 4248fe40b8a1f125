/* SPDX-License-Identifier: MIT */
/*
 * The limits of a node in a thread that records its visits. A visit below
 * `unusual` takes the fast path. Any other visit below `recorded` need only be
 * added to the statistics and to the recorder.
 */
#ifndef SELFMON_STORE_LIMITS_H
#define SELFMON_STORE_LIMITS_H

#include "store/watch.h"

/*
 * Sets the limits of a node of this thread, after a visit took the slow path:
 * `recorded`, and `unusual` if shorter visits need no entry in the recorder.
 * watch may be NULL.
 */
void selfmon_limits_set(const struct selfmon_thread *thread,
			struct selfmon_node *node,
			const struct selfmon_watch *watch);
/*
 * From now on, all visits of the thread get entries in the recorder: frames may
 * have them as parts.
 */
void selfmon_limits_frames(struct selfmon_thread *thread);
/*
 * Makes the next visit of each node take the slow path, which compares it with
 * the limits. Call after limits were lowered.
 */
void selfmon_limits_recall(const struct selfmon_process *process);

#endif
