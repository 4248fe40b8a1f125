/* SPDX-License-Identifier: MIT */
/*
 * The state of regions, and how long each part of it lives.
 *
 * Kept (store/name.c): names and configuration. Append-only; a forked child
 * keeps them.
 *
 * Wiped (store/process.c, store/memory.c): threads, their call trees and
 * statistics, locks. Any forked child finds zeros there, even one of a raw
 * clone(2). No thread is ready there, no lock is held, and the child starts
 * over.
 *
 * Live (store/live.c), if there is a file: the records, which are the nodes of
 * call trees, and threads' counts and open visits. Without a file they are in
 * wiped memory. A forked child does not have the file's pages. All pointers to
 * them are wiped, except those in frames on the stack, which are never
 * followed.
 *
 * A thread's state and statistics are never freed. When the thread ends, the
 * next thread takes them over, statistics included: a region's sums cover all
 * threads anyway. The number of states is bounded by the threads alive at once,
 * plus those that ended without destructors (SYS_exit), whose states are not
 * reused. SELFMON_PLACES_MAX bounds the memory of one thread.
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

/* Most open visits of one thread; deeper visits are counted, not measured. */
#define SELFMON_DEPTH_MAX 256
/*
 * Entries beyond the last one, for visits that had found room when a handler
 * took it: one for each handler that interrupts another one there.
 */
#define SELFMON_DEPTH_SLACK 4
/* Entries are initialised this many at a time, when first needed. */
#define SELFMON_DEPTH_STEP 16
/*
 * Most places of one thread, the root included: 32 MiB. Beyond the limit only
 * places below the root are made, one for each region. Without the limit,
 * overlapping spans would make a place for each order in which they nest.
 */
#define SELFMON_PLACES_MAX 16384
/*
 * Threads whose statistics a report can show separately: the first states made.
 * With the option "threads" of an output these states are not reused.
 */
#define SELFMON_THREADS_APART 256

/* Children found without a search: one slot for each residue of their id. */
#define SELFMON_CHILDREN 16
/*
 * Ids that no region has: of the parent of all spans, of a root, and of the
 * NULL handle's site.
 */
#define SELFMON_REGION_ASYNC (UINT32_MAX - 2)
#define SELFMON_REGION_NONE (UINT32_MAX - 1)
#define SELFMON_REGION_NOWHERE UINT32_MAX

/*
 * The record of a place in a thread's call tree: a region below a parent. The
 * members that a visit uses share a line with the statistics that follow: see
 * tree.c. A reader of a file ignores the pointers. It finds the parent by
 * ordinal, and the node of an open visit by self.
 */
struct selfmon_node {
	struct selfmon_record record;
	uint64_t self;		      /* the node's address */
	uint32_t thread;	      /* number of its thread's record */
	uint32_t ordinal;             /* in the thread; the root is 0 */
	uint32_t parent_ordinal;
	uint32_t remainder;           /* EVERY: see store/sample.h */
	struct selfmon_node *parent;  /* NULL: the root */
	struct selfmon_node *next;    /* node made after this one */
	uint64_t hash;		      /* added to that of its children */
	struct selfmon_node *child[SELFMON_CHILDREN]; /* never NULL */
	uint32_t region;	      /* SELFMON_REGION_NONE: the root */
	uint32_t countdown;           /* visits to skip (EVERY) */
	struct selfmon_stats stats[1];
	struct selfmon_sampled sampled[]; /* at most one; see record.size */
};

/* The slot first: enter takes a child by it, and checks the child's region. */
static inline void selfmon_site_set(struct selfmon_site *site, uint32_t region)
{
	selfmon_store_once(&site->slot, region % SELFMON_CHILDREN *
						sizeof(struct selfmon_node *));
	__atomic_store_n(&site->id, region, __ATOMIC_RELEASE);
}

/* ---- threads ------------------------------------------------------------- */

/*
 * An open visit. mark is the stack address of the code that entered, or
 * SELFMON_MARK_SPAN. It is even while the visit is open, and SELFMON_MARK_NONE
 * from when the visit is recorded until the entry is used again. As signed
 * numbers both constants are below all addresses, so enter's comparison with
 * the newest mark leads to the slow path.
 */
#define SELFMON_MARK_SPAN SELFMON_IMPL_MARK_SPAN
#define SELFMON_MARK_NONE SELFMON_IMPL_MARK_NONE

/*
 * With time alone a visit uses the first cache line only. With four counters it
 * also uses the second, which holds the eight values of the start; values
 * without a counter are room for the end.
 */
struct selfmon_visit {
	uint64_t mark;
	const struct selfmon_frame *frame; /* an address, never followed */
	struct selfmon_node *node;
	uint64_t reserved; /* for a record or a sample of the visit */
	union {
		uint32_t cpu;	   /* with time alone: CPU of the start */
		uint32_t end_lock; /* read in user space: leader's lock as the
				      end began */
	};
	/*
	 * If all counters are read in user space, start has the raw registers.
	 * known caches what the pages said; rest has the offsets that turn
	 * registers into counts.
	 */
	struct selfmon_page_cache known;
	struct selfmon_snapshot start;
	struct selfmon_thread *thread;     /* owner; never changes */
	struct selfmon_page_cache_rest rest;
	union {
		/* Counters read in user space: */
		struct {
			uint64_t tried; /* start at the last caching */
			uint32_t tries; /* times pages were cached for it */
		};
		/* One visit in N is measured: visits that ended inside. */
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
 * The record of a thread's state. Several threads may have had the state, one
 * after another; tid and name are those of the last. The first entry of open is
 * a sentinel; see selfmon_mark_is_open() for the others.
 */
struct selfmon_thread_record {
	struct selfmon_record record;
	uint32_t number; /* 0, 1, 2 and so on */
	uint32_t owners; /* threads that had it, so far */
	uint32_t tid;
	uint32_t padding;
	uint64_t too_deep;  /* visits not measured: depth */
	uint64_t unready;   /* visits not measured: busy, no memory */
	uint64_t displaced; /* visits recorded at another place */
	uint64_t evicted;   /* spans ended to make room: see open/evict.h */
	uint64_t uncounted; /* counts of units left out: no memory */
	char name[SELFMON_THREAD_NAME]; /* see owner.c */
	struct selfmon_visit open[SELFMON_DEPTH_MAX + 1 + SELFMON_DEPTH_SLACK];
};

/*
 * mode selects the path of enter and leave. Exactly SELFMON_MODE_TIME or _USER
 * is a fast path; any other bit that is set makes the comparison fail. Changed
 * by selfmon_thread_set_mode() and its kin only: low depends on it.
 */
#define SELFMON_MODE_NOT_READY 0u
#define SELFMON_MODE_TIME 1u     /* time alone, direct timestamps */
#define SELFMON_MODE_ANY 2u      /* slow: counters, one in N, fence, clock */
#define SELFMON_MODE_REQUEST 4u  /* a reader wants a copy, see copy.c */
#define SELFMON_MODE_BUSY 8u     /* data change: visits are only counted */
#define SELFMON_MODE_USER 16u    /* time and counters, all read in user space */
#define SELFMON_MODE_STACKS 32u  /* code runs on other stacks as well */
#define SELFMON_MODE_ASYNC 64u	 /* spans so far: no events opened yet */

/*
 * Above all addresses as a signed number, also after SELFMON_LOW_USER is
 * subtracted. So is any address plus SELFMON_LOW_USER.
 */
#define SELFMON_LOW_NONE ((uint64_t)INT64_MAX)
#define SELFMON_LOW_USER (UINT64_C(1) << 62)

/*
 * A usual visit uses one cache line of a thread's state. The first word of that
 * line is not in this struct: the sentinel below the thread's first entry has
 * its mark there, which enter reads if no visit is open. This struct follows,
 * and overlays the sentinel: mode and max_per_tick lie in its frame, and root
 * is its node. See struct sentinel in session/thread_state.c.
 */
struct selfmon_thread {
	uint32_t mode;
	uint32_t max_per_tick;       /* copied from the set's second line */
	struct selfmon_node *root;
	struct selfmon_visit *top;   /* newest entry; the sentinel if none */
	struct selfmon_visit *last;  /* newest entry that is laid out */
	const uint32_t *cpu;	     /* word that changes if the thread changes
					its CPU: the CPU's number. With a ring,
					the ring's head, which changes with each
					record (session/thread_ring.h) */
	struct selfmon_counters *set;
	/*
	 * stack_low, moved by the mode: a comparison of enter's address with it
	 * also checks the mode. SELFMON_MODE_TIME moves it by 0,
	 * SELFMON_MODE_USER by SELFMON_LOW_USER, all others above all
	 * addresses.
	 */
	uint64_t low;
	/* The cache line ends here. */
	/*
	 * Bounds of the thread's own stack, see bounds.h. stack_high is also
	 * the sentinel's mark: enter compares its address with the newest mark
	 * and with stack_low. So it detects any address outside of the bounds.
	 * A span has no address. As a signed number its mark is below all
	 * addresses, and enter then compares with stack_high itself.
	 */
	uint64_t stack_low;
	uint32_t every;
	uint32_t random;             /* 0: all visits are measured */
	uint32_t nodes;              /* number of nodes, the root included */
	struct selfmon_node **table; /* hash of nodes by parent and region */
	uint32_t table_shift;        /* 64 - log2 of its slots */
	uint32_t missing;  /* bits: the process's columns that this set lacks */
	uint64_t id;	   /* of the owner; see SELFMON_THREAD_ID; 0: none */
	struct selfmon_node *async; /* parent of the spans; NULL: not made,
				       or the clock takes a call */
	uint64_t stack_high;
	enum selfmon_stack stack;    /* how well the bounds are known */
	struct selfmon_node *newest; /* end of the list of all nodes */
	uint8_t column[SELFMON_MAX_COUNTERS]; /* column of the set's value i */
	uint32_t taken;              /* a thread owns this state */
	bool live;		     /* its records are in the live file */
	const struct selfmon_node *wanted; /* REQUEST: which node's copy */
	struct selfmon_stats *copy;        /* REQUEST: the copy */
	struct selfmon_thread *next; /* the state made before it */
	struct selfmon_thread *idle; /* next state without an owner */
	struct selfmon_thread_record *record;
	struct selfmon_visit *open; /* the record's entries */
	struct selfmon_fiber *fiber; /* runs; NULL: no fibers so far */
	struct selfmon_fiber *own;   /* the thread's own stack; or NULL */
	uint32_t switching;	     /* no visit may begin; see visit/fiber_switch.c */
	struct selfmon_thread_ring *ring; /* NULL: none so far */
	struct selfmon_recorder *recorder; /* NULL: visits are not recorded */
	bool seen; /* reports have its visits; not so of a calibration's */
	uint32_t full;	  /* times in a row that a sweep would be in vain */
	uint64_t lexical; /* start of the newest visit, if all 256 are
			     lexical; 0: unknown */
};

/*
 * A thread's id is unique among the process, its ancestors and their threads.
 * Its two low bits are 0: spans use them. Its high half is
 * selfmon_fork_token().
 */
#define SELFMON_THREAD_ID(token, number)                                       \
	((uint64_t)(uint32_t)(token) << 32 | (uint32_t)(number) << 2)
#define SELFMON_THREAD_TOKEN(id) ((uint32_t)((id) >> 32))

/* Also false for an entry that is not laid out. */
static inline bool selfmon_mark_is_open(uint64_t mark)
{
	return mark != SELFMON_MARK_NONE && mark != 0;
}

/* Checks that a member lies where the inlined ends of a visit access it. */
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
 * Pairs with copy.c: a reader that sees a value of this update also sees the
 * odd sequence, or the next one.
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
 * A span counts by one addition, after its values. A handler may record in the
 * middle, or jump out, and no entry would show that: a sequence made odd could
 * not be trusted to become even. Instead a copy may have a span's time and not
 * the span, and is bounded: see selfmon_stats_mend().
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

/* Returns true if value is neither a new minimum nor a new maximum. */
static inline bool selfmon_sums_hold(const struct selfmon_sums *sums,
				     uint64_t value)
{
	return value >= sums->min && value <= sums->max;
}

/* Between selfmon_stats_begin() and selfmon_stats_end(), after all values. */
static inline void selfmon_mark_recorded(uint64_t *mark)
{
	selfmon_compiler_fence();
	selfmon_store_once(mark, SELFMON_MARK_NONE);
}

/* Returns false for negative ticks: as unsigned they exceed any limit. */
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
 * The histogram lags one visit: the visit's bucket waits in last, and copy.c
 * adds it. On AMD a store whose address depends on a timestamp delays the next
 * timestamp (Zen 4: a pair takes 1.22 times as long). A store of a value does
 * not.
 *
 * Words are updated separately: a reader may find sum and buckets one visit
 * apart. A handler between the load and the store counts a visit in its
 * neighbour's bucket.
 */
static inline void selfmon_histogram_put(struct selfmon_stats *stats,
					 unsigned int bucket)
{
	const uint64_t last = selfmon_load_once(&stats->last);

	selfmon_store_once(&stats->last, bucket);
	selfmon_arch_add(&stats->histogram[last], 1);
}

/* Adds a time of any length. */
static inline void selfmon_histogram_add(struct selfmon_stats *stats,
					 uint64_t ticks)
{
	selfmon_histogram_put(stats, selfmon_likely(ticks < SELFMON_TICKS_LONG)
					     ? selfmon_bucket_of(ticks)
					     : SELFMON_BUCKETS - 1);
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
