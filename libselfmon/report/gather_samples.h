/* SPDX-License-Identifier: MIT */
/* Collects the samples of all threads, and finds the row of each. */
#ifndef SELFMON_REPORT_GATHER_SAMPLES_H
#define SELFMON_REPORT_GATHER_SAMPLES_H

#include "report/gather_tree.h"
#include "report/model.h"
#include "store/sampling.h"
#include "store/ring_state.h"

/*
 * Adds the call stacks of a thread, and its numbers of samples outside of
 * regions, lost and not stored. The tree must already contain the thread's
 * nodes. Returns 0 or -ENOMEM.
 */
int selfmon_gather_samples(struct selfmon_gather *gather,
			   const struct selfmon_gather_tree *tree,
			   const struct selfmon_thread *thread);
/*
 * Makes report->samples. Call when the report's rows are in their final order.
 * Leaves out the call stacks if none were gathered. Returns 0 or -ENOMEM.
 */
int selfmon_report_take_samples(struct selfmon_report *report,
				const struct selfmon_gather *gather,
				const struct selfmon_sampling *sampling,
				double ns_per_tick);
/*
 * Computes samples_within (samples of a row and of all rows below) of all rows.
 */
void selfmon_samples_add_up(struct selfmon_report *report);

#endif
