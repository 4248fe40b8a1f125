/* SPDX-License-Identifier: MIT */
/*
 * Measures the overhead of a region around work.
 *
 * An empty region shows the whole latency of a timestamp. Around work, a part
 * of the latency overlaps with the work. Without a fence, a timestamp also does
 * not wait for earlier instructions, so a part of the work may lie outside of
 * the region.
 */
#ifndef SELFMON_VISIT_SHADOW_H
#define SELFMON_VISIT_SHADOW_H

#include "visit/overhead.h"

/*
 * Visits regions around several kinds of known work, in the mode of the calling
 * thread's state. Replaces the ticks in `calibration` that were measured with
 * empty regions (the old values):
 *
 *	inner.ticks         middle of the inner overhead over all kinds of work,
 *	                    at least 0 and at most the old value
 *	inner.ticks_spread  twice the distance between the lowest and the
 *	                    highest inner overhead
 *	outer.ticks         middle of the total overhead (inner and outer),
 *	                    minus inner.ticks, at least 0
 *	outer.ticks_spread  twice the distance between the lowest and the
 *	                    highest total overhead
 *
 * If a visit takes longer than 500 ns, it makes system calls, which wait for
 * the work. Then only outer.ticks_spread changes: the old value of
 * inner.ticks_spread is added to it. The values of counters never change.
 *
 * Returns false if the thread's CPU time reaches until_ns before all kinds of
 * work are measured. Then the lowest overhead is taken as 0, and the highest as
 * the old value: each middle is half of the old value.
 *
 * The caller blocks signals, and has installed a state that is in no report.
 */
bool selfmon_shadow_measure(struct selfmon_calibration *calibration,
			    uint64_t until_ns);

#endif
