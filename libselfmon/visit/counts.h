/* SPDX-License-Identifier: MIT */
/* Whole counts, made from registers and the offsets cached with them. */
#ifndef SELFMON_VISIT_COUNTS_H
#define SELFMON_VISIT_COUNTS_H

#include "store/state.h"

/* Turns raw register values into counts, by the offsets of the same moment. */
void selfmon_add_offsets(const struct selfmon_counters *head,
			 unsigned int members, struct selfmon_snapshot *snapshot,
			 const uint64_t *offset);
/* Returns the counts of a visit's start: that of user.c has raw registers. */
void selfmon_start_counts(const struct selfmon_visit *open,
			  struct selfmon_snapshot *start);

#endif
