/* SPDX-License-Identifier: MIT */
/*
 * What a region adds to work that is in it.
 *
 * An empty region shows the whole latency of a timestamp. Around work, part of
 * that latency overlaps with the work; and a timestamp that does not wait for
 * earlier instructions leaves part of the work outside of the region.
 */
#ifndef SELFMON_REGION_SHADOW_H
#define SELFMON_REGION_SHADOW_H

#include "region/overhead.h"

/*
 * Visits regions around several kinds of known work, in the mode of the
 * calling thread's state, and replaces the ticks in `calibration` that were
 * measured with empty regions:
 *
 *	inner.ticks         the middle between the kinds, from 0 to what it was
 *	inner.ticks_spread  twice the distance between the kinds
 *	outer.ticks         the middle of what a parent sees of a visit, less inner
 *	outer.ticks_spread  twice the distance between the kinds of both together
 *
 * Where a visit takes longer than 500 ns system calls wait for the work: then
 * outer.ticks_spread is made that of both together, and the rest stays. The
 * values of counters stay always.
 *
 * Where the thread's CPU time reaches until_ns before all kinds were measured,
 * the middle is that between 0 and what it was, and the spread covers both.
 * Returns false then.
 *
 * The caller blocks signals, and has installed a state that is in no report.
 */
bool selfmon_shadow_measure(struct selfmon_calibration *calibration,
			    uint64_t until_ns);

#endif
