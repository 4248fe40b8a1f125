/* SPDX-License-Identifier: MIT */
/* Computes counts from raw registers and the offsets cached with them. */
#ifndef SELFMON_VISIT_COUNTS_H
#define SELFMON_VISIT_COUNTS_H

#include "store/state.h"

/*
 * Converts raw register values to counts. The offsets must have been valid when
 * the registers were read.
 */
void selfmon_add_offsets(const struct selfmon_counters *head,
			 unsigned int members, struct selfmon_snapshot *snapshot,
			 const uint64_t *offset);
/*
 * Sets *start to the counts at a visit's start. Visits started by user.c have
 * raw register values, which are converted.
 */
void selfmon_start_counts(const struct selfmon_visit *open,
			  struct selfmon_snapshot *start);

#endif
