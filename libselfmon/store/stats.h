/* SPDX-License-Identifier: MIT */
/* Records visits, out of line from enter and leave. */
#ifndef SELFMON_STORE_STATS_H
#define SELFMON_STORE_STATS_H

#include "store/state.h"

void selfmon_stats_time(struct selfmon_stats *stats, uint64_t ticks,
			bool migrated, uint64_t *mark);
/* Records a detached span of any length, with its bytes and items. */
void selfmon_stats_span(struct selfmon_stats *stats, uint64_t ticks,
			uint64_t bytes, uint64_t items);
void selfmon_stats_init(struct selfmon_stats *stats);
bool selfmon_stats_counts(const struct selfmon_thread *thread,
			  struct selfmon_stats *stats,
			  const struct selfmon_snapshot *a,
			  const struct selfmon_snapshot *b, uint64_t *mark);
void selfmon_stats_delta(const struct selfmon_thread *thread,
			 struct selfmon_stats *stats,
			 const struct selfmon_delta *delta, uint64_t *mark);
/*
 * Sets `unusual` again, and adds the units that the visit may have counted.
 * Call between selfmon_stats_begin() and selfmon_stats_end().
 */
void selfmon_stats_work(struct selfmon_stats *stats);
void selfmon_stats_drop_units(struct selfmon_stats *stats);

#endif
