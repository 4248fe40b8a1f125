/* SPDX-License-Identifier: MIT */
/* Samples of the overhead of visits of a shape, on a separate thread state. */
#ifndef SELFMON_VISIT_OVERHEAD_SAMPLES_H
#define SELFMON_VISIT_OVERHEAD_SAMPLES_H

#include "visit/overhead.h"
#include "visit/overhead_visits.h"

#define SELFMON_OVERHEAD_SAMPLES 101
#define SELFMON_OVERHEAD_VALUES (1 + SELFMON_MAX_COUNTERS) /* ticks, columns */

struct selfmon_overhead_samples {
	struct selfmon_thread *thread; /* the calling thread's state for now */
	uint32_t wanted; /* bits: values that are counted */
	uint64_t until_ns; /* thread's CPU time at which the budget ends */
	bool cut; /* some measurement was cut short there */
	uint32_t count[SELFMON_OVERHEAD_VALUES];
	/*
	 * The child's value per visit, and the parent's value beyond it per
	 * visit.
	 */
	double own[SELFMON_OVERHEAD_VALUES][SELFMON_OVERHEAD_SAMPLES];
	double beyond[SELFMON_OVERHEAD_VALUES][SELFMON_OVERHEAD_SAMPLES];
};

/*
 * Visits the shape until each wanted value has enough samples or the budget is
 * spent. Sets own and beyond to the medians. skip: the child's visits are only
 * counted. The spread is wider with fewer samples. Columns with too few samples
 * get their bit in *unknown. Returns true if no column has too few, and ticks
 * have enough.
 */
bool selfmon_overhead_sample(struct selfmon_overhead_samples *samples,
			     enum selfmon_overhead_shape shape, bool skip,
			     struct selfmon_cost *own,
			     struct selfmon_cost *beyond, uint32_t *unknown);

/* Returns the node of a site below this parent, or NULL. */
const struct selfmon_node *
selfmon_overhead_node(const struct selfmon_thread *thread,
		      const struct selfmon_site *site,
		      const struct selfmon_node *parent);

#endif
