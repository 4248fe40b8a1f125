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
 * If a visit takes longer than 500 ns, its system calls wait for the work. Then
 * outer.ticks_spread is set to that of inner and outer together, and the rest
 * stays. The values of counters always stay.
 *
 * If the thread's CPU time reaches until_ns before all kinds are measured,
 * returns false. The middle is then that between 0 and the old value, and the
 * spread covers both.
 *
 * The caller blocks signals, and has installed a state that is in no report.
 */
bool selfmon_shadow_measure(struct selfmon_calibration *calibration,
			    uint64_t until_ns);

#endif
