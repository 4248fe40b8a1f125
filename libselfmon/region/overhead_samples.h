/* SPDX-License-Identifier: MIT */
/* Samples of what visits of a shape cost, on a thread state made for it. */
#ifndef SELFMON_REGION_OVERHEAD_SAMPLES_H
#define SELFMON_REGION_OVERHEAD_SAMPLES_H

#include "region/overhead.h"
#include "region/overhead_visits.h"

#define SELFMON_OVERHEAD_SAMPLES 101
#define SELFMON_OVERHEAD_VALUES (1 + SELFMON_MAX_COUNTERS) /* ticks, columns */

struct selfmon_overhead_samples {
	struct selfmon_thread *thread; /* the calling thread's for now */
	uint32_t wanted; /* bits: values that are counted */
	uint64_t until_ns; /* CPU time of the thread: the budget's end */
	bool cut; /* some measurement ended there, with fewer samples */
	uint32_t count[SELFMON_OVERHEAD_VALUES];
	/* A child's, per visit; its parent's less that, per child's visit. */
	double own[SELFMON_OVERHEAD_VALUES][SELFMON_OVERHEAD_SAMPLES];
	double beyond[SELFMON_OVERHEAD_VALUES][SELFMON_OVERHEAD_SAMPLES];
};

/*
 * Visits the shape until each wanted value has enough samples or the budget is
 * spent, and sets own and beyond to their medians; skip: the child's visits are
 * only counted. The spread is wider where there are fewer samples. Columns with
 * too few get their bit in *unknown. Returns true if there are none, and ticks
 * have enough.
 */
bool selfmon_overhead_sample(struct selfmon_overhead_samples *samples,
			     enum selfmon_overhead_shape shape, bool skip,
			     struct selfmon_cost *own,
			     struct selfmon_cost *beyond, uint32_t *unknown);

/* Returns the node of a site below this one, or NULL. */
const struct selfmon_node *
selfmon_overhead_node(const struct selfmon_thread *thread,
		      const struct selfmon_site *site,
		      const struct selfmon_node *parent);

#endif
