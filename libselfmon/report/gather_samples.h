/* SPDX-License-Identifier: MIT */
/* Gathers the samples of all threads, and the row of each. */
#ifndef SELFMON_REPORT_GATHER_SAMPLES_H
#define SELFMON_REPORT_GATHER_SAMPLES_H

#include "report/gather_tree.h"
#include "report/model.h"
#include "store/sampling.h"
#include "store/ring_state.h"

/* Adds the samples of a thread, whose nodes are in the tree. 0 or -ENOMEM. */
int selfmon_gather_samples(struct selfmon_gather *gather,
			   const struct selfmon_gather_tree *tree,
			   const struct selfmon_thread *thread);
/*
 * Makes report->samples, once its rows are in their order. Without stacks if
 * the gather has none. Returns 0 or -ENOMEM.
 */
int selfmon_report_take_samples(struct selfmon_report *report,
				const struct selfmon_gather *gather,
				const struct selfmon_sampling *sampling,
				double ns_per_tick);
/* Sets samples_within of all rows. */
void selfmon_samples_add_up(struct selfmon_report *report);

#endif
