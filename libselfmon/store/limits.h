/* SPDX-License-Identifier: MIT */
/*
 * The limits of a node in a thread that records its visits. A visit below
 * `unusual` takes the fast path, except if it ended on another CPU. Any other
 * visit below `recorded` is only added to the statistics and to the recorder. A
 * visit below `part` needs no entry in the recorder.
 *
 * `part` depends on the regions around the node. The parts of a visit are stored
 * only if the visit is longer than its region's limit, and a part is of interest
 * only if it is not too short for the visit. So visits that are short compared
 * with the limits of all regions and frames around them need no entry. A region
 * around them may have a low limit because it has had few visits. If one is in
 * progress, the time that it has lasted takes the place of the limit.
 */
#ifndef SELFMON_STORE_LIMITS_H
#define SELFMON_STORE_LIMITS_H

#include "store/watch.h"

/*
 * This bit of `lasting`: the visit in progress is not to be used for limits any
 * more, but limits may still be based on it.
 */
#define SELFMON_LASTED (UINT64_C(1) << 63)

/*
 * Sets the limits of a node of this thread, after a visit took the slow path.
 * watch may be NULL.
 */
void selfmon_limits_set(const struct selfmon_thread *thread,
			struct selfmon_node *node,
			const struct selfmon_watch *watch);
/*
 * Sets `unusual` by the other limits, which stay the same: a slow path may have
 * changed it.
 */
void selfmon_limits_restore(struct selfmon_stats *stats);
/*
 * Sets the limits of some nodes of the calling thread, of others in the next
 * call. If selfmon_recorder_is_due(), call this after the ended visit is marked
 * as recorded.
 */
void selfmon_limits_review(struct selfmon_thread *thread);
/*
 * For a visit of the calling thread that is about to be stored as a slow one.
 * Returns a time in ticks: shorter parts of the visit may have no entry, because
 * an earlier visit of the node lasted longer, and was left without an end. 0 if
 * there is no such visit.
 */
uint64_t selfmon_limits_listed(const struct selfmon_node *node, uint64_t ticks);
/*
 * Call after a visit or a frame is stored as a slow one. Makes the limits below
 * the node independent of how long it lasted. A visit that is not stored is
 * below its region's limit, so no limits depend on it.
 */
void selfmon_limits_end(const struct selfmon_thread *thread,
			struct selfmon_node *node,
			const struct selfmon_slowest *slowest);
/*
 * From now on, all visits of the thread get entries in the recorder, until
 * limits are set. For frames with a new name, which may contain visits of all
 * nodes, and if the tree is full.
 */
void selfmon_limits_lower(const struct selfmon_thread *thread);
/*
 * Makes the next visit of each node take the slow path, which compares it with
 * the limits. Call after limits were lowered.
 */
void selfmon_limits_recall(const struct selfmon_process *process);

#endif
