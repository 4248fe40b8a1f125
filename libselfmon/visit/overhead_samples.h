/* SPDX-License-Identifier: MIT */
/*
 * Takes samples of the overhead of visits of one shape, with a separate thread
 * state.
 */
#ifndef SELFMON_VISIT_OVERHEAD_SAMPLES_H
#define SELFMON_VISIT_OVERHEAD_SAMPLES_H

#include "visit/overhead.h"
#include "visit/overhead_visits.h"

#define SELFMON_OVERHEAD_SAMPLES 101
#define SELFMON_OVERHEAD_VALUES (1 + SELFMON_MAX_COUNTERS) /* ticks, columns */

struct selfmon_overhead_samples {
	struct selfmon_thread *thread;
	uint32_t wanted; /* bit i: this thread counts value i */
	uint64_t until_ns; /* end of the budget, in the thread's CPU time */
	bool cut; /* a measurement was cut short at the end of the budget */
	uint32_t count[SELFMON_OVERHEAD_VALUES];
	/*
	 * The child's own value per visit, and the additional value per visit
	 * that the parent recorded.
	 */
	double own[SELFMON_OVERHEAD_VALUES][SELFMON_OVERHEAD_SAMPLES];
	double beyond[SELFMON_OVERHEAD_VALUES][SELFMON_OVERHEAD_SAMPLES];
};

/*
 * Makes visits of the shape until each wanted value has enough samples, or
 * until the budget or 60 ms of CPU time are spent. Sets *own and *beyond to the
 * medians of the arrays of the same names. If there are few samples, their
 * spread is larger. If `skip` is true, the child's visits are only counted.
 * Sets a bit in *unknown for each column with too few samples. Returns true if
 * the ticks and all wanted columns have enough samples.
 */
bool selfmon_overhead_sample(struct selfmon_overhead_samples *samples,
			     enum selfmon_overhead_shape shape, bool skip,
			     struct selfmon_cost *own,
			     struct selfmon_cost *beyond, uint32_t *unknown);

/* Returns the node of a site below this parent, or NULL if there is none. */
const struct selfmon_node *
selfmon_overhead_node(const struct selfmon_thread *thread,
		      const struct selfmon_site *site,
		      const struct selfmon_node *parent);

#endif
