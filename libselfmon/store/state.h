/* SPDX-License-Identifier: MIT */
/*
 * The state of regions. It has three parts with different lifetimes.
 *
 * Kept (store/name.c): names and configuration. They are append-only, and a
 * forked child keeps them.
 *
 * Wiped (store/process.c, store/memory.c): threads, their call trees and
 * statistics, and locks. Any forked child, even one of a raw clone(2), finds
 * zeros there: no thread is ready and no lock is held, so the child starts
 * over.
 *
 * Live (store/live.c), if there is a live file: the records of nodes, and of
 * threads with their counts and open visits. Without a file they are in wiped
 * memory. A forked child does not have the file's pages. All pointers to them
 * are wiped, except those in frames on the stack, which are never followed.
 *
 * A thread's state and statistics are never freed. When the thread ends, the
 * next new thread takes both over, since the sums of a region cover all threads
 * anyway. The number of states is limited by the number of threads alive at
 * once, plus those that ended without running destructors (SYS_exit), whose
 * states are not reused. SELFMON_PLACES_MAX limits the memory of one thread.
 */
#ifndef SELFMON_STORE_STATE_H
#define SELFMON_STORE_STATE_H

#include <stddef.h>

#include <selfmon/inline.h>
#include <selfmon/options.h>
#include <selfmon/region.h>

#include "platform/kernel.h"
#include "platform/stack.h"
#include "store/record.h"
#include "store/statistics.h"

/*
 * The most visits that a thread may have open. Deeper visits are counted, not
 * measured.
 */
#define SELFMON_DEPTH_MAX 256
/*
 * Entries beyond the last one. They serve visits that had found room when a
 * signal handler took it: one for each handler that interrupts another one at
 * that point.
 */
#define SELFMON_DEPTH_SLACK 4
/* Entries are initialised in steps of this many, when first needed. */
#define SELFMON_DEPTH_STEP 16
/*
 * The most nodes of one thread, the root included: 32 MiB. Beyond the limit,
 * nodes are made only directly below the root, one for each region. Without the
 * limit, overlapping spans would make a node for each order in which they nest.
 */
#define SELFMON_PLACES_MAX 16384
/*
 * The first states made, up to this many, can be shown separately in a report.
 * With the option "threads" of an output they are not reused.
 */
#define SELFMON_THREADS_APART 256

/*
 * Children that are found without a search: one slot for each residue of the
 * region's id.
 */
#define SELFMON_CHILDREN 16
/*
 * Ids that no region has. They belong to the parent of all spans, to a root,
 * and to the site of a NULL handle.
 */
#define SELFMON_REGION_ASYNC (UINT32_MAX - 2)
#define SELFMON_REGION_NONE (UINT32_MAX - 1)
#define SELFMON_REGION_NOWHERE UINT32_MAX

/*
 * The record of a node in a thread's call tree: a region below a parent. The
 * members that a visit uses share a cache line with the statistics that follow:
 * see tree.c. A reader of a live file ignores the pointers. It finds the parent
 * by its ordinal, and the node of an open visit by self.
 */
struct selfmon_node {
	struct selfmon_record record;
	uint64_t self;		      /* the node's address */
	uint32_t thread;	      /* number of the thread's record */
	uint32_t ordinal; /* its number in the thread; the root has 0 */
	uint32_t parent_ordinal;
	uint32_t remainder;           /* EVERY: see store/sample.h */
	struct selfmon_node *parent;  /* NULL: the root */
	struct selfmon_node *next;    /* the node that was made next */
	uint64_t hash;		      /* basis of its children's hashes */
	struct selfmon_node *child[SELFMON_CHILDREN]; /* never NULL */
	uint32_t region;	      /* SELFMON_REGION_NONE: the root */
	uint32_t countdown;           /* visits to skip (EVERY) */
	struct selfmon_stats stats[1];
	/* Zero or one element; see record.size. */
	struct selfmon_sampled sampled[];
};

/*
 * Stores the slot first: enter finds a child by the slot, and then checks the
 * child's region.
 */
static inline void selfmon_site_set(struct selfmon_site *site, uint32_t region)
{
	selfmon_store_once(&site->slot, region % SELFMON_CHILDREN *
						sizeof(struct selfmon_node *));
	__atomic_store_n(&site->id, region, __ATOMIC_RELEASE);
}

/* ---- threads ------------------------------------------------------------- */

/*
 * Marks of entries. The mark of an open visit is the stack address of the code
 * that entered, or SELFMON_MARK_SPAN; it is even. From when the visit is
 * recorded until the entry is used again, the mark is SELFMON_MARK_NONE. As
 * signed numbers both constants are below all addresses, so that enter's
 * comparison with the newest mark leads to the slow path.
 */
#define SELFMON_MARK_SPAN SELFMON_IMPL_MARK_SPAN
#define SELFMON_MARK_NONE SELFMON_IMPL_MARK_NONE

/*
 * An entry: one open visit. A visit with time alone uses only the first cache
 * line. With four counters it also uses the second line, which holds the eight
 * values of the start. Values without a counter are room for the end.
 */
struct selfmon_visit {
	uint64_t mark;
	const struct selfmon_frame *frame; /* an address, never followed */
	struct selfmon_node *node;
	uint64_t reserved; /* unused so far; meant for a record or a sample */
	union {
		uint32_t cpu;	   /* with time alone: the CPU at the start */
		uint32_t end_lock; /* read in user space: the leader's lock
				    * when the end began */
	};
	/*
	 * If all counters are read in user space, start has the raw registers,
	 * known caches the contents of the pages, and rest has the offsets that
	 * turn registers into counts.
	 */
	struct selfmon_page_cache known;
	struct selfmon_snapshot start;
	struct selfmon_thread *thread;     /* owner; never changes */
	struct selfmon_page_cache_rest rest;
	union {
		/* If the counters are read in user space: */
		struct {
			/* Start.ticks when the pages were last cached. */
			uint64_t tried;
			/* How often the pages were cached for it. */
			uint32_t tries;
		};
		/*
		 * If one visit in N is measured: the visits that ended inside.
		 */
		struct selfmon_inside inside;
	};
} __attribute__((aligned(64)));

_Static_assert(offsetof(struct selfmon_visit, start.ticks) + sizeof(uint64_t) ==
		       64,
	       "what a visit with time alone looks at is one line");
_Static_assert(offsetof(struct selfmon_visit, start.value) == 64 &&
		       SELFMON_MAX_COUNTERS * sizeof(uint64_t) == 64,
	       "values are the next one");

/*
 * The record of a thread's state. Several threads may have used the state one
 * after another; tid and name belong to the last. The first entry of `open` is
 * a sentinel; see selfmon_mark_is_open() for the others.
 */
struct selfmon_thread_record {
	struct selfmon_record record;
	uint32_t number; /* 0, 1, 2 and so on */
	uint32_t owners; /* number of threads that have used it so far */
	uint32_t tid;
	uint32_t padding;
	uint64_t too_deep;  /* visits not measured: depth */
	uint64_t unready;   /* visits not measured: busy, no memory */
	uint64_t displaced; /* visits recorded in a node other than their own */
	/* Spans that were ended to make room: see open/evict.h. */
	uint64_t evicted;
	uint64_t uncounted; /* counts of units lost for lack of memory */
	char name[SELFMON_THREAD_NAME]; /* see owner.c */
	struct selfmon_visit open[SELFMON_DEPTH_MAX + 1 + SELFMON_DEPTH_SLACK];
};

/*
 * The mode selects the path of enter and leave. Only a mode of exactly
 * SELFMON_MODE_TIME or exactly SELFMON_MODE_USER takes a fast path: any
 * additional bit makes the comparison fail. Change the mode only by
 * selfmon_thread_set_mode() and related functions, since `low` depends on it.
 */
#define SELFMON_MODE_NOT_READY 0u
#define SELFMON_MODE_TIME 1u     /* time alone, direct timestamps */
#define SELFMON_MODE_ANY 2u      /* slow: counters, one in N, fence, clock */
#define SELFMON_MODE_REQUEST 4u  /* a reader requests a copy, see copy.c */
#define SELFMON_MODE_BUSY 8u     /* data change: visits are only counted */
#define SELFMON_MODE_USER 16u    /* time and counters, all read in user space */
#define SELFMON_MODE_STACKS 32u  /* the thread also runs code on other stacks */
#define SELFMON_MODE_ASYNC 64u	 /* only spans so far: no events opened */

/*
 * As a signed number this is above all addresses, even after SELFMON_LOW_USER
 * is subtracted. So is the sum of any address and SELFMON_LOW_USER.
 */
#define SELFMON_LOW_NONE ((uint64_t)INT64_MAX)
#define SELFMON_LOW_USER (UINT64_C(1) << 62)

/*
 * A usual visit uses one cache line of the thread's state. That line begins
 * before this struct: its first word is the mark of the sentinel below the
 * thread's first entry, which enter reads if no visit is open. This struct
 * follows and overlays the sentinel: mode and max_per_tick are in place of the
 * sentinel's frame, and root in place of its node. See struct sentinel in
 * session/thread_state.c.
 */
struct selfmon_thread {
	uint32_t mode;
	/* Copy of the member in the set's second cache line. */
	uint32_t max_per_tick;
	struct selfmon_node *root;
	struct selfmon_visit *top;   /* the newest entry, or the sentinel */
	struct selfmon_visit *last;  /* the newest initialised entry */
	/*
	 * A word that changes when the thread changes its CPU: the CPU's number
	 * or, with a ring, the ring's head, which changes with each record
	 * (session/thread_ring.h).
	 */
	const uint32_t *cpu;
	struct selfmon_counters *set;
	/*
	 * stack_low plus an offset that depends on the mode, so that one
	 * comparison with enter's address also checks the mode. The offset is 0
	 * for SELFMON_MODE_TIME and SELFMON_LOW_USER for SELFMON_MODE_USER. All
	 * other modes set low above all addresses.
	 */
	uint64_t low;
	/* The cache line ends here. */
	/*
	 * Bounds of the thread's own stack, see bounds.h. stack_high is also
	 * the mark of the sentinel. Enter compares its address with the newest
	 * mark and with low, and so detects any address outside of the bounds.
	 * If the newest entry is a span, its mark is below all addresses as a
	 * signed number, and enter then compares with stack_high itself.
	 */
	uint64_t stack_low;
	uint32_t every;
	uint32_t random;             /* 0: all visits are measured */
	uint32_t nodes;              /* number of nodes, including the root */
	/* Hash table of the nodes by parent and region. */
	struct selfmon_node **table;
	uint32_t table_shift;        /* 64 - log2 of the table's slots */
	uint32_t missing; /* bits: columns of the process that this set lacks */
	uint64_t id;	   /* id of the owner, see SELFMON_THREAD_ID; 0: none */
	struct selfmon_node *async; /* parent of all spans; NULL: not made,
				     * or the clock needs a call */
	uint64_t stack_high;
	enum selfmon_stack stack;    /* whether the bounds are known, and how */
	/* The last node in the list of all nodes. */
	struct selfmon_node *newest;
	/* The column of the set's value i. */
	uint8_t column[SELFMON_MAX_COUNTERS];
	uint32_t taken;              /* 1 while a thread owns this state */
	bool live; /* the thread's records are in the live file */
	const struct selfmon_node *wanted; /* REQUEST: which node's copy */
	struct selfmon_stats *copy;        /* REQUEST: the copy */
	/* The state that was made before this one. */
	struct selfmon_thread *next;
	struct selfmon_thread *idle; /* next state without an owner */
	struct selfmon_thread_record *record;
	struct selfmon_visit *open; /* the record's entries */
	/* The running fiber; NULL: no fibers so far. */
	struct selfmon_fiber *fiber;
	/* The fiber of the thread's own stack, or NULL. */
	struct selfmon_fiber *own;
	/* While set, no visit may begin; see visit/fiber_switch.c. */
	uint32_t switching;
	struct selfmon_thread_ring *ring; /* NULL: none so far */
	struct selfmon_recorder *recorder; /* NULL if visits are not recorded */
	struct selfmon_frames *frames; /* NULL: no marks so far */
	bool seen; /* reports include its visits; not so for calibration */
	bool reporting; /* it runs the program's function, see visit/longer.c */
	/* How often in a row entries were full and no sweep could help. */
	uint32_t full;
	uint64_t lexical; /* if all 256 visits are lexical, the start of the
			   * newest one; else 0 */
};

/*
 * A thread's id is unique among the process, its ancestors and their threads.
 * Its low two bits are 0 and serve spans as flags. Its high half is
 * selfmon_fork_token().
 */
#define SELFMON_THREAD_ID(token, number)                                       \
	((uint64_t)(uint32_t)(token) << 32 | (uint32_t)(number) << 2)
#define SELFMON_THREAD_TOKEN(id) ((uint32_t)((id) >> 32))

/*
 * Returns true if the entry's visit is open. Returns false for an entry that is
 * not initialised.
 */
static inline bool selfmon_mark_is_open(uint64_t mark)
{
	return mark != SELFMON_MARK_NONE && mark != 0;
}

/* Checks that a member is at the offset where inlined visits access it. */
#define SELFMON_HOT(what, member, hot)                                         \
	_Static_assert(offsetof(struct selfmon_##what, member) ==              \
			       offsetof(struct selfmon_impl_##what, hot),      \
		       "selfmon/inline.h has the layout of these")

SELFMON_HOT(stats, sequence, sequence);
SELFMON_HOT(stats, last, last);
SELFMON_HOT(stats, unusual, unusual);
SELFMON_HOT(stats, ticks.sum, sum);
SELFMON_HOT(stats, ticks.min, min);
SELFMON_HOT(stats, kind[SELFMON_KIND_SAME], same);
SELFMON_HOT(stats, kind[SELFMON_KIND_SPAN], span);
SELFMON_HOT(stats, histogram, histogram);
SELFMON_HOT(node, child, child);
SELFMON_HOT(node, region, region);
SELFMON_HOT(node, stats, stats);
SELFMON_HOT(visit, mark, mark);
SELFMON_HOT(visit, frame, frame);
SELFMON_HOT(visit, node, node);
SELFMON_HOT(visit, cpu, cpu);
SELFMON_HOT(visit, start.ticks, start);
SELFMON_HOT(thread, top, top);
SELFMON_HOT(thread, last, last);
SELFMON_HOT(thread, cpu, cpu);
SELFMON_HOT(thread, low, low);
_Static_assert(sizeof(struct selfmon_visit) ==
		       sizeof(struct selfmon_impl_visit),
	       "and the size of these");
_Static_assert(SELFMON_CHILDREN ==
		       sizeof(((struct selfmon_impl_node *)0)->child) /
			       sizeof(struct selfmon_impl_node *),
	       "and as many of these");

/* ---- single-writer statistics -------------------------------------------- */

/*
 * Pairs with copy.c: a reader that sees a value of this update also sees its
 * odd sequence or a later one.
 */
static inline void selfmon_stats_begin(struct selfmon_stats *stats)
{
	selfmon_arch_add(&stats->sequence, 1);
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

static inline void selfmon_stats_end(struct selfmon_stats *stats)
{
	__atomic_thread_fence(__ATOMIC_RELEASE);
	selfmon_arch_add(&stats->sequence, 1);
}

/*
 * Counts a span by a single addition, after its values are added. A sequence
 * that is made odd would not work here: a signal handler may record a span in
 * the middle, or jump out, and spans have no entry by which to notice. Instead
 * a copy may have a span's time without its count, and is limited to possible
 * values: see selfmon_stats_mend().
 */
static inline void selfmon_stats_count_span(struct selfmon_stats *stats)
{
	__atomic_thread_fence(__ATOMIC_RELEASE);
	selfmon_arch_add(&stats->sequence, 2);
}

static inline void selfmon_sums_add(struct selfmon_sums *sums, uint64_t value)
{
	selfmon_arch_add(&sums->sum, value);
	if (selfmon_unlikely(value < sums->min))
		selfmon_store_once(&sums->min, value);
	if (selfmon_unlikely(value > sums->max))
		selfmon_store_once(&sums->max, value);
}

/* Returns true if the value is neither a new minimum nor a new maximum. */
static inline bool selfmon_sums_hold(const struct selfmon_sums *sums,
				     uint64_t value)
{
	return value >= sums->min && value <= sums->max;
}

/*
 * Call between selfmon_stats_begin() and selfmon_stats_end(), after all values
 * are added.
 */
static inline void selfmon_mark_recorded(uint64_t *mark)
{
	selfmon_compiler_fence();
	selfmon_store_once(mark, SELFMON_MARK_NONE);
}

/*
 * Returns true if the time is usual. Negative ticks are not: as unsigned
 * numbers they exceed any limit.
 */
static inline bool selfmon_stats_usual(const struct selfmon_stats *stats,
				       uint64_t ticks)
{
	return ticks < stats->unusual;
}

/* Returns the bucket of ticks below SELFMON_TICKS_LONG. */
static inline unsigned int selfmon_bucket_of(uint64_t ticks)
{
	return selfmon_impl_bucket(ticks);
}

/*
 * Adds a time to the histogram, which lags one visit: the visit's bucket waits
 * in `last`, and copy.c adds it to the copy. On AMD a store whose address
 * depends on a timestamp delays the next timestamp (Zen 4: a pair takes 1.22
 * times as long). A store whose value depends on it does not.
 *
 * Words are updated separately, so a reader may find the sum and the buckets
 * one visit apart. If a handler interrupts between the load and the store, one
 * visit is counted in the bucket of the other.
 */
static inline void selfmon_histogram_put(struct selfmon_stats *stats,
					 unsigned int bucket)
{
	const uint64_t last = selfmon_load_once(&stats->last);

	selfmon_store_once(&stats->last, bucket);
	selfmon_arch_add(&stats->histogram[last], 1);
}

/* Adds a time of any length to the histogram. */
static inline void selfmon_histogram_add(struct selfmon_stats *stats,
					 uint64_t ticks)
{
	selfmon_histogram_put(stats, selfmon_likely(ticks < SELFMON_TICKS_LONG)
					     ? selfmon_bucket_of(ticks)
					     : SELFMON_BUCKETS - 1);
}

/*
 * Records a detached span without units that is neither the longest nor the
 * shortest so far. Returns false, and records nothing, if it is.
 */
static inline bool selfmon_stats_add_span(struct selfmon_stats *stats,
					  uint64_t ticks)
{
	if (selfmon_unlikely(!selfmon_stats_usual(stats, ticks) ||
			     ticks < stats->ticks.min))
		return false;
	selfmon_arch_add(&stats->ticks.sum, ticks);
	selfmon_histogram_put(stats, selfmon_bucket_of(ticks));
	selfmon_stats_count_span(stats);
	return true;
}

static inline void selfmon_kind_add(struct selfmon_stats *stats,
				    enum selfmon_kind kind, uint64_t n)
{
	selfmon_arch_add(&stats->kind[kind], n);
}

static inline void selfmon_rare_add(struct selfmon_stats *stats,
				    enum selfmon_rare what, uint64_t n)
{
	selfmon_arch_add(&stats->rare[what], n);
}

#endif
