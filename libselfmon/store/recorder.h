/* SPDX-License-Identifier: MIT */
/*
 * A thread's recorder (SELFMON_RECORD): a ring of the visits that ended last.
 * When a slow visit ends, the ring shows what happened inside of it.
 */
#ifndef SELFMON_STORE_RECORDER_H
#define SELFMON_STORE_RECORDER_H

#include "store/state.h"

/* 64 KiB a thread. */
#define SELFMON_RECORDER_ENTRIES 4096u

/* The low bits of ticks_region: the region. The bits above hold the time. */
#define SELFMON_ENDED_REGION_BITS 24
#define SELFMON_ENDED_REGION_MASK ((UINT64_C(1) << SELFMON_ENDED_REGION_BITS) - 1)
/* Longer times are stored as this value. */
#define SELFMON_ENDED_TICKS_MAX (UINT64_MAX >> SELFMON_ENDED_REGION_BITS)
/* Stands in place of a region for a time off the CPU. */
#define SELFMON_ENDED_BLOCKED (SELFMON_ENDED_REGION_MASK - 1)
#define SELFMON_ENDED_PREEMPTED SELFMON_ENDED_REGION_MASK

struct selfmon_ended {
	uint64_t end;	       /* ticks */
	uint64_t ticks_region; /* time and region of a visit that ended */
};

/* Written only by its thread, including signal handlers there. */
struct selfmon_recorder {
	uint64_t position; /* entries taken so far */
	struct selfmon_ended entry[SELFMON_RECORDER_ENTRIES];
};

static inline uint64_t selfmon_ended_pack(uint64_t ticks, uint64_t region)
{
	if (selfmon_unlikely(ticks > SELFMON_ENDED_TICKS_MAX))
		ticks = SELFMON_ENDED_TICKS_MAX;
	return ticks << SELFMON_ENDED_REGION_BITS |
	       (region & SELFMON_ENDED_REGION_MASK);
}

/*
 * Takes an entry by one instruction, so that a handler that interrupts takes
 * another entry. If a handler jumps out before the entry is written, the entry
 * keeps its old contents.
 */
static inline void selfmon_recorder_put(struct selfmon_recorder *recorder,
					uint64_t end, uint64_t ticks_region)
{
	struct selfmon_ended *const entry =
		&recorder->entry[selfmon_arch_take(&recorder->position) %
				 SELFMON_RECORDER_ENTRIES];

	selfmon_store_once(&entry->end, end);
	selfmon_store_once(&entry->ticks_region, ticks_region);
}

/* A visit that has ended. It has a value for each bit set in values. */
struct selfmon_recorded_visit {
	const struct selfmon_node *node;
	uint64_t start, end; /* ticks */
	uint64_t ticks;	     /* duration, less the cost of samples */
	uint32_t values;     /* bits: columns */
	bool moved;	     /* the visit ended on another CPU */
	bool resumed;	     /* it was suspended meanwhile */
	bool alone;	     /* detached span: its inner visits are unknown */
	uint64_t value[SELFMON_MAX_COUNTERS]; /* by column */
};

/*
 * Records a visit of any kind, and keeps it if it is one of the slowest of its
 * region. Call after the visit's statistics are recorded and before its entry
 * is given back.
 */
void selfmon_recorder_add(struct selfmon_thread *thread,
			  const struct selfmon_recorded_visit *visit);
/* Records the newest visit, which measured time alone. */
void selfmon_recorder_time(struct selfmon_thread *thread,
			   const struct selfmon_visit *open, uint64_t end,
			   uint64_t ticks, bool moved);
/*
 * Records the newest visit with the counts of the thread's set. count holds the
 * counts by value; NULL if there are none.
 */
void selfmon_recorder_counts(struct selfmon_thread *thread,
			     const struct selfmon_visit *open, uint64_t ticks,
			     const uint64_t *count);
void selfmon_recorder_delta(struct selfmon_thread *thread,
			    const struct selfmon_visit *open,
			    const struct selfmon_delta *delta);

#endif
