/* SPDX-License-Identifier: MIT */
/*
 * A thread's recorder (SELFMON_RECORD, SELFMON_TRACE): a ring of the visits
 * that ended most recently. When a slow visit ends, the ring shows what
 * happened inside it. A trace file is written from the rings.
 */
#ifndef SELFMON_STORE_RECORDER_H
#define SELFMON_STORE_RECORDER_H

#include "store/off_cpu.h"
#include "store/state.h"

/* Number of entries of a ring without a trace: 64 KiB per thread. */
#define SELFMON_RECORDER_ENTRIES 4096u

/* The low bits of ticks_region are the region, the others are the time. */
#define SELFMON_ENDED_REGION_BITS 24
#define SELFMON_ENDED_REGION_MASK ((UINT64_C(1) << SELFMON_ENDED_REGION_BITS) - 1)
/* Longer times are stored as this value. */
#define SELFMON_ENDED_TICKS_MAX (UINT64_MAX >> SELFMON_ENDED_REGION_BITS)
/*
 * Values in place of a region. PREEMPTED and BLOCKED mean that the thread was
 * off the CPU. The others exist only for a trace; this table shows the contents
 * of the members of struct selfmon_ended:
 *
 *            end                  ticks_region, without the region
 *   COUNT    a value of the       the value's column
 *            visit before it
 *   START    start of the visit   1: that visit is a detached span, 2: a frame,
 *            that follows         0: longer than SELFMON_ENDED_TICKS_MAX
 *   FIBER    time of a switch     the fiber that runs from then on; 0: the
 *                                 thread's own stack; SELFMON_ENDED_NO_FIBER
 *   THREAD   time                 kernel's id of the thread that now owns the
 *                                 ring
 *   NAME     8 bytes of the       0: the first bytes, 1: the rest
 *            thread's name
 *   LONGER   a limit in ns:       kernel's id of the thread
 *            the last visit before
 *            this entry was longer
 */
#define SELFMON_ENDED_PREEMPTED SELFMON_ENDED_REGION_MASK
#define SELFMON_ENDED_BLOCKED (SELFMON_ENDED_REGION_MASK - 1)
#define SELFMON_ENDED_COUNT (SELFMON_ENDED_REGION_MASK - 2)
#define SELFMON_ENDED_START (SELFMON_ENDED_REGION_MASK - 3)
enum { SELFMON_START_LONG, SELFMON_START_SPAN, SELFMON_START_FRAME };
#define SELFMON_ENDED_FIBER (SELFMON_ENDED_REGION_MASK - 4)
#define SELFMON_ENDED_THREAD (SELFMON_ENDED_REGION_MASK - 5)
/* The time between two fibers, when none runs. */
#define SELFMON_ENDED_NO_FIBER SELFMON_ENDED_TICKS_MAX
#define SELFMON_ENDED_NAME (SELFMON_ENDED_REGION_MASK - 6)
#define SELFMON_ENDED_LONGER (SELFMON_ENDED_REGION_MASK - 7)
/* This value and all larger values are not regions. */
#define SELFMON_ENDED_SPECIAL SELFMON_ENDED_LONGER
/* Maximum number of entries for one visit: START, the visit, COUNTs, LONGER. */
#define SELFMON_ENDED_GROUP_MAX (3 + SELFMON_MAX_COUNTERS)

struct selfmon_ended {
	uint64_t end;	       /* ticks */
	uint64_t ticks_region;
};

/*
 * Written only by its thread, including signal handlers there. Only `trace` is
 * written by the trace's writer.
 */
struct selfmon_recorder {
	uint64_t position; /* number of entries reserved so far */
	uint64_t written;  /* number of entries written so far */
	uint64_t mask;	   /* number of entries in the ring, minus 1 */
	bool traced;	   /* a trace is written from this ring */
	bool displaced;	   /* no node has limits: the tree is full */
	/*
	 * The trace's writer must write the entries before this position, which
	 * follows the entries of the last visit that triggered the trace.
	 */
	uint64_t wanted;
	uint64_t triggers; /* number of visits that triggered the trace */
	struct selfmon_traced *trace;
	/* Position of the next review of limits; UINT64_MAX with a trace. */
	uint64_t review_at;
	struct selfmon_node *reviewed; /* the last one; NULL: none so far */
	struct selfmon_ended entry[];
};

static inline size_t selfmon_recorder_size(size_t entries)
{
	return sizeof(struct selfmon_recorder) +
	       entries * sizeof(struct selfmon_ended);
}

static inline uint64_t selfmon_ended_pack(uint64_t ticks, uint64_t region)
{
	if (selfmon_unlikely(ticks > SELFMON_ENDED_TICKS_MAX))
		ticks = SELFMON_ENDED_TICKS_MAX;
	return ticks << SELFMON_ENDED_REGION_BITS |
	       (region & SELFMON_ENDED_REGION_MASK);
}

/* Returns the region of an entry, or the SELFMON_ENDED_ value in its place. */
static inline uint64_t selfmon_ended_region(const struct selfmon_ended *entry)
{
	return entry->ticks_region & SELFMON_ENDED_REGION_MASK;
}

/* Returns true if the entry belongs to the visit before it. */
static inline bool selfmon_ended_follows(const struct selfmon_ended *entry)
{
	return selfmon_ended_region(entry) == SELFMON_ENDED_COUNT ||
	       selfmon_ended_region(entry) == SELFMON_ENDED_LONGER;
}

/*
 * Adds an entry and returns its position.
 *
 * Reserves the entry in one step (selfmon_arch_take()), so that an interrupting
 * handler uses another entry. If a handler jumps out before the entry is
 * written, the entry keeps old contents, wholly or in part, and `written` stays
 * behind. The fences let a reader in another thread see, in this order: the new
 * `position`, the new contents, the new `written`.
 */
static inline uint64_t selfmon_recorder_put(struct selfmon_recorder *recorder,
					    uint64_t end, uint64_t ticks_region)
{
	const uint64_t position = selfmon_arch_take(&recorder->position, 1);
	struct selfmon_ended *const entry =
		&recorder->entry[position & recorder->mask];

	__atomic_thread_fence(__ATOMIC_RELEASE);
	selfmon_store_once(&entry->end, end);
	selfmon_store_once(&entry->ticks_region, ticks_region);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	selfmon_arch_add(&recorder->written, 1);
	return position;
}

/*
 * Returns true if the thread has added as many entries as the ring holds since
 * the last review. After adding the entry at this position, call
 * selfmon_limits_review().
 */
static inline bool
selfmon_recorder_is_due(const struct selfmon_recorder *recorder,
			uint64_t position)
{
	return position >= selfmon_load_operand(&recorder->review_at);
}

struct selfmon_recorded_visit {
	struct selfmon_node *node;
	uint64_t start, end; /* ticks */
	uint64_t ticks;	     /* duration without the cost of samples */
	uint32_t values;     /* bit k is set if column k has a value */
	bool moved;	     /* the visit ended on another CPU */
	bool resumed;	     /* a fiber suspended and resumed the visit */
	bool alone;	     /* detached span: its inner visits are unknown */
	bool frame;	     /* a frame, which is not in the call tree */
	/* Its times off the CPU; NULL: unknown. */
	const struct selfmon_off_cpu *off_cpu;
	uint64_t value[SELFMON_MAX_COUNTERS]; /* by column */
};

/*
 * A visit that must be reported to the program (selfmon_options.longer). node
 * is NULL if there is none.
 */
struct selfmon_due {
	const struct selfmon_node *node;
	uint64_t start, end, ticks, limit;
};

/*
 * Records a visit of any kind. Stores it if it is one of the slowest of its
 * region in the current interval, triggers the trace if it lasted longer than
 * the trace's limit, and sets *due if it must be reported to the program. Call
 * after the visit's statistics are recorded and before its entry is
 * reused. Afterwards, pass *due to selfmon_longer_call().
 */
void selfmon_recorder_add(struct selfmon_thread *thread,
			  const struct selfmon_recorded_visit *visit,
			  struct selfmon_due *due);
/* Records the newest visit, which measured time alone. */
void selfmon_recorder_time(struct selfmon_thread *thread,
			   const struct selfmon_visit *open, uint64_t end,
			   uint64_t ticks, bool moved,
			   struct selfmon_due *due);
/*
 * Records the newest visit with the counts of the thread's set. count has one
 * element for each value of the set.
 */
void selfmon_recorder_counts(struct selfmon_thread *thread,
			     const struct selfmon_visit *open, uint64_t ticks,
			     const uint64_t *count, struct selfmon_due *due);
void selfmon_recorder_delta(struct selfmon_thread *thread,
			    const struct selfmon_visit *open,
			    const struct selfmon_delta *delta,
			    struct selfmon_due *due);

/*
 * These functions record an event for a trace, and do nothing without a trace.
 * owner: the calling thread now owns the ring. name: the thread exits; stores
 * its name. fiber: the thread switches to this fiber (0: to its own stack). The
 * switch began at `before` and ended at `now`.
 */
void selfmon_recorder_owner(struct selfmon_thread *thread, uint64_t now);
void selfmon_recorder_name(struct selfmon_thread *thread);
void selfmon_recorder_fiber(struct selfmon_thread *thread, uint64_t before,
			    uint64_t now, uint64_t fiber);

#endif
