/* SPDX-License-Identifier: MIT */
/*
 * Measures the overhead of a region around work.
 *
 * An empty region shows the whole latency of a timestamp. Around work, a part
 * of the latency overlaps with the work. Besides, a timestamp that does not
 * wait for earlier instructions leaves a part of the work outside of the
 * region.
 */
#ifndef SELFMON_VISIT_SHADOW_H
#define SELFMON_VISIT_SHADOW_H

#include "visit/overhead.h"

/*
 * Visits regions around several kinds of known work, in the mode of the calling
 * thread's state. Replaces the ticks in `calibration` that were measured with
 * empty regions (the old values):
 *
 *	inner.ticks         middle between the kinds, from 0 to the old value
 *	inner.ticks_spread  twice the distance between the kinds
 *	outer.ticks         middle of a visit's cost to its parent, less inner
 *	outer.ticks_spread  twice the distance between the kinds, of both
 *
 * If a visit takes longer than 500 ns, it makes system calls, which wait for
 * the work. Then only outer.ticks_spread changes: to that of inner and outer
 * together. The values of counters never change.
 *
 * Returns false if the thread's CPU time reaches until_ns before all kinds are
 * measured. Then each middle is half of the old value, and the spread covers 0
 * and the old value.
 *
 * The caller blocks signals, and has installed a state that is in no report.
 */
bool selfmon_shadow_measure(struct selfmon_calibration *calibration,
			    uint64_t until_ns);

#endif
