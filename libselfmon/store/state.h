/* SPDX-License-Identifier: MIT */
/*
 * The state of regions. It has three parts with different lifetimes.
 *
 * Kept (store/name.c, store/config.c): names, which are append-only, and the
 * configuration. A forked child has a copy.
 *
 * Wiped (store/process.c, store/memory.c): threads, their call trees and
 * statistics, and locks. From Linux 4.14 on, any forked child, even one of a
 * raw clone(2), finds zeros there: no thread is ready and no lock is held, so
 * the child starts from the beginning.
 *
 * Live (store/live.c): if there is a live file, it has the records
 * (store/record.h), for example nodes, and threads with their counts and open
 * visits. Without a live file the records are in wiped memory. A forked child
 * does not have the file's pages. All pointers to the records are wiped, except
 * the pointers in frames on the stack, which are never dereferenced.
 *
 * A thread's state and statistics are never freed. When a thread exits, the
 * next new thread continues with both: reports add up all threads in any case.
 * There are at most as many states as threads that exist at the same time, plus
 * the states that are not reused. A state is not reused if its thread exited
 * without running destructors (SYS_exit), or if it is kept for the output
 * option "threads". SELFMON_PLACES_MAX limits the memory of one thread.
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
 * Maximum number of open visits in a thread. If no entry can be freed (see
 * open/evict.h), further visits are counted and not measured.
 */
#define SELFMON_DEPTH_MAX 256
/*
 * Spare entries after the last one. After a visit has found room, a signal
 * handler may interrupt it and take the last entry; the visit then takes a
 * spare entry. Each nested handler that is interrupted at this point needs one
 * more spare entry.
 */
#define SELFMON_DEPTH_SLACK 4
/*
 * Entries are initialised in steps of this number, when they are first needed.
 */
#define SELFMON_DEPTH_STEP 16
/*
 * Maximum number of nodes in a thread, including the root: 32 MiB. Beyond the
 * limit, nodes are made only directly below the root and for detached spans,
 * one for each region. Without the limit, overlapping spans would make a node
 * for each order in which they nest.
 */
#define SELFMON_PLACES_MAX 16384
/*
 * A report can show this number of threads separately: those that got the first
 * states. With the output option "threads" these states are not reused.
 */
#define SELFMON_THREADS_APART 256

/*
 * Number of slots in a node for children that are found without a search. Slot
 * i is for regions with id % 16 = i.
 */
#define SELFMON_CHILDREN 16
/*
 * Ids that no region has: for the parent of all detached spans, for a root, and
 * for the site of a NULL handle.
 */
#define SELFMON_REGION_ASYNC (UINT32_MAX - 2)
#define SELFMON_REGION_NONE (UINT32_MAX - 1)
#define SELFMON_REGION_NOWHERE UINT32_MAX

/*
 * The record of a node in a thread's call tree: a region below a parent.
 * Without a live file, the members that a visit uses share a cache line with
 * the beginning of the statistics: see tree.c. A reader of a live file ignores
 * the pointers. It finds the parent by parent_ordinal, and the node of an open
 * visit by `self`.
 */
struct selfmon_node {
	struct selfmon_record record;
	uint64_t self;		      /* the node's address */
	uint32_t thread;	      /* number of the thread's record */
	uint32_t ordinal; /* index of the node in the thread; the root has 0 */
	uint32_t parent_ordinal;
	/*
	 * With SELFMON_EVERY: number of visits in the next group after its
	 * measured one, see store/sample.c.
	 */
	uint32_t remainder;
	struct selfmon_node *parent;  /* NULL: the root */
	struct selfmon_node *next;    /* next in the order of creation */
	/* With a child's region, selects the child's slot in the hash table. */
	uint64_t hash;
	struct selfmon_node *child[SELFMON_CHILDREN]; /* never NULL */
	uint32_t region;	      /* SELFMON_REGION_NONE in the root */
	uint32_t countdown;           /* visits to skip (SELFMON_EVERY) */
	struct selfmon_stats stats[1];
	/* Zero or one element, which record.size shows. */
	struct selfmon_sampled sampled[];
};

/*
 * Stores the slot before the id: enter finds a child by the slot if the id is
 * set, and then checks the child's region.
 */
static inline void selfmon_site_set(struct selfmon_site *site, uint32_t region)
{
	selfmon_store_once(&site->slot, region % SELFMON_CHILDREN *
						sizeof(struct selfmon_node *));
	__atomic_store_n(&site->id, region, __ATOMIC_RELEASE);
}

/* ---- threads ------------------------------------------------------------- */

/*
 * Marks of entries. The mark of an open visit is even: it is the stack address
 * of the code that entered, SELFMON_MARK_SPAN, or SELFMON_MARK_FIBER
 * (store/fiber.h). After the visit is recorded, the mark is SELFMON_MARK_NONE
 * until the entry is reused. As signed numbers SELFMON_MARK_SPAN and
 * SELFMON_MARK_NONE are below all addresses, so the comparison in enter selects
 * the slow path.
 */
#define SELFMON_MARK_SPAN SELFMON_IMPL_MARK_SPAN
#define SELFMON_MARK_NONE SELFMON_IMPL_MARK_NONE

/*
 * An entry: one open visit. A visit that measures time alone uses only the
 * first cache line. With four counters a visit also uses the second line, which
 * has the eight words of start.value. The counters use the first four; the
 * other four are scratch space for the slow path of leave.
 */
struct selfmon_visit {
	uint64_t mark;
	/* Only compared, never dereferenced. */
	const struct selfmon_frame *frame;
	struct selfmon_node *node;
	struct selfmon_thread *thread; /* the owner; never changes */
	union {
		/* The value of *thread->cpu at the start. */
		uint32_t cpu;
		/*
		 * With user reads: the lock of the leader's page, read at the
		 * end before the counters.
		 */
		uint32_t end_lock;
	};
	/*
	 * If all counters are read in user space, start has the raw register
	 * values, known has the cached contents of the pages, and rest has the
	 * offsets that convert registers to counts.
	 */
	struct selfmon_page_cache known;
	struct selfmon_snapshot start;
	struct selfmon_page_cache_rest rest;
	union {
		/* If all counters are read in user space: */
		struct {
			/* The value of start.ticks when the pages were last cached. */
			uint64_t tried;
			/*
			 * Number of times the pages were cached for this visit.
			 */
			uint32_t tries;
		};
		/*
		 * If one visit in N is measured: the visits that ended inside
		 * this one.
		 */
		struct selfmon_inside inside;
	};
} __attribute__((aligned(64)));

_Static_assert(offsetof(struct selfmon_visit, start.ticks) + sizeof(uint64_t) ==
		       64,
	       "a time-only visit uses one cache line of its entry");
_Static_assert(offsetof(struct selfmon_visit, start.value) == 64 &&
		       SELFMON_MAX_COUNTERS * sizeof(uint64_t) == 64,
	       "start.value fills the second cache line");

/*
 * The record of a thread's state. Several threads may have used the state one
 * after another; tid and name belong to the last of these threads. The first
 * entry of `open` is a sentinel; see selfmon_mark_is_open() for the others.
 */
struct selfmon_thread_record {
	struct selfmon_record record;
	uint32_t number; /* 0, 1, 2 and so on */
	uint32_t owners; /* number of threads that have used the state */
	uint32_t tid;
	uint32_t padding;
	uint64_t too_deep;  /* visits not measured: too many were open */
	uint64_t unready;   /* visits not measured: busy, or no room */
	uint64_t displaced; /* visits recorded in the wrong node */
	/* Number of spans that were ended to make room: see open/evict.h. */
	uint64_t evicted;
	uint64_t uncounted; /* counts of units lost: busy or no memory */
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
#define SELFMON_MODE_TIME 1u     /* time alone, and the clock is a register */
/*
 * Slow path, for example for counters read by read(2), one visit in N, fences,
 * or a clock that is not a register.
 */
#define SELFMON_MODE_ANY 2u
#define SELFMON_MODE_REQUEST 4u  /* a reader requests a copy, see copy.c */
/* Data is being changed: visits are only counted. */
#define SELFMON_MODE_BUSY 8u
#define SELFMON_MODE_USER 16u    /* time and counters, all read in user space */
#define SELFMON_MODE_STACKS 32u  /* thread also runs code on other stacks */
/* Only detached spans so far: no events opened. */
#define SELFMON_MODE_ASYNC 64u

/*
 * Value of `low` that selects the slow path: as a signed number it is above all
 * addresses. This value minus SELFMON_LOW_USER, and any address plus
 * SELFMON_LOW_USER, are above all addresses too.
 */
#define SELFMON_LOW_NONE ((uint64_t)INT64_MAX)
#define SELFMON_LOW_USER (UINT64_C(1) << 62)

/*
 * A thread's state. The fast path uses only one cache line of the state.
 * Without a live file, the state is placed inside the sentinel, which is the
 * entry below all visits: the cache line begins with the sentinel's mark, and
 * the state follows. So mode and max_per_tick are in place of the sentinel's
 * frame, and root is in place of the sentinel's node. Enter reads the
 * sentinel's mark if no visit is open. See struct sentinel in
 * session/thread_state.c.
 */
struct selfmon_thread {
	uint32_t mode;
	/* Copy of set->max_per_tick, which is in another cache line. */
	uint32_t max_per_tick;
	struct selfmon_node *root;
	struct selfmon_visit *top;   /* newest entry, or the sentinel */
	struct selfmon_visit *last;  /* last initialised non-spare entry */
	/*
	 * Points to a word that changes when the thread moves to another CPU:
	 * the CPU's number. With a ring, it points to the ring's head, which
	 * changes with each record (session/thread_ring.h).
	 */
	const uint32_t *cpu;
	struct selfmon_counters *set;
	/*
	 * stack_low plus an offset that depends on the mode. So one comparison
	 * with the caller's stack address checks the bound and the mode. The
	 * offset is 0 for SELFMON_MODE_TIME and SELFMON_LOW_USER for
	 * SELFMON_MODE_USER. For all other modes low is above all addresses.
	 */
	uint64_t low;
	/* End of the cache line. */
	/*
	 * Bounds of the thread's own stack, see bounds.h. stack_high is also
	 * the mark of the sentinel. Enter compares its stack address with the
	 * newest mark and with low, which detects any address outside of the
	 * bounds. If the newest entry is a span, its mark is below all
	 * addresses as a signed number, and enter then compares with stack_high
	 * itself.
	 */
	uint64_t stack_low;
	uint32_t every;
	uint32_t random;             /* 0: all visits are measured */
	uint32_t nodes;              /* number of nodes, including the root */
	/* Hash table of the nodes by parent and region. */
	struct selfmon_node **table;
	uint32_t table_shift;        /* 64 - log2 of the table's slots */
	/* Bit i: this thread's set lacks column i of the process. */
	uint32_t missing;
	uint64_t id;	   /* id of the owner, see SELFMON_THREAD_ID; or 0 */
	/*
	 * Parent of all detached spans. NULL before the first one, and if the
	 * clock is not a register.
	 */
	struct selfmon_node *async;
	uint64_t stack_high;
	enum selfmon_stack stack;    /* how reliable the stack's bounds are */
	struct selfmon_node *newest;
	/* The column to which value i of the set belongs. */
	uint8_t column[SELFMON_MAX_COUNTERS];
	uint32_t taken;              /* 1 while a thread owns this state */
	bool live; /* the thread's records are in the live file */
	/* Node of which a reader has requested a copy. */
	const struct selfmon_node *wanted;
	struct selfmon_stats *copy;        /* the requested copy */
	/* The state that was made before this one. */
	struct selfmon_thread *next;
	struct selfmon_thread *idle; /* next one without an owner */
	struct selfmon_thread_record *record;
	struct selfmon_visit *open; /* the record's entries */
	/* The running fiber; NULL if the thread has not used fibers. */
	struct selfmon_fiber *fiber;
	/* The fiber of the thread's own stack, or NULL. */
	struct selfmon_fiber *own;
	/* While this is set, no visit may begin; see visit/fiber_switch.c. */
	uint32_t switching;
	struct selfmon_thread_ring *ring; /* NULL: none so far */
	struct selfmon_recorder *recorder; /* NULL if visits are not recorded */
	struct selfmon_frames *frames; /* NULL: no marks so far */
	bool seen; /* reports include the visits; false for calibration */
	bool reporting; /* runs selfmon_options.longer; see visit/longer.c */
	/*
	 * Number of consecutive calls of find_room() in visit/any.c; reset when
	 * a call finds or makes room without eviction.
	 */
	uint32_t full;
	/*
	 * Start of the newest visit when selfmon_evict() last found no span
	 * among the open visits; 0 if it last found one.
	 */
	uint64_t lexical;
};

/*
 * A thread's id is unique among the process, its ancestors and their threads.
 * Detached spans use its low two bits as flags; here they are 0. The id's high
 * half is selfmon_fork_token().
 */
#define SELFMON_THREAD_ID(token, number)                                       \
	((uint64_t)(uint32_t)(token) << 32 | (uint32_t)(number) << 2)
#define SELFMON_THREAD_TOKEN(id) ((uint32_t)((id) >> 32))

/*
 * Returns true if an entry with this mark has an open visit. Returns false for
 * an entry that is not initialised.
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
 * Begins an update. Pairs with copy.c: a reader that sees a value of this
 * update also sees its odd sequence or a later one.
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
 * Counts a detached span by a single addition, after its values were added.
 * Unlike a visit, a detached span does not make the sequence odd during the
 * update. A signal handler may interrupt the update. If it recorded another span,
 * the sequence would be even during the update; if it jumped out, the sequence
 * would stay odd, because a span has no entry that shows the unfinished update.
 * So a copy may include a span's time without its count. selfmon_stats_mend()
 * limits the copy to possible values.
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
 * Marks the visit as recorded. Call after all values are added, between
 * selfmon_stats_begin() and selfmon_stats_end().
 */
static inline void selfmon_mark_recorded(uint64_t *mark)
{
	selfmon_compiler_fence();
	selfmon_store_once(mark, SELFMON_MARK_NONE);
}

/*
 * Returns true if the fast path may record this time. Returns false for a
 * negative time, which as an unsigned number exceeds any limit.
 */
static inline bool selfmon_stats_usual(const struct selfmon_stats *stats,
				       uint64_t ticks)
{
	return ticks < selfmon_load_operand(&stats->unusual);
}

/* Returns the bucket for a time below SELFMON_TICKS_LAST. */
static inline unsigned int selfmon_bucket_of(uint64_t ticks)
{
	return selfmon_impl_bucket(ticks);
}

static inline unsigned int selfmon_bucket_of_any(uint64_t ticks)
{
	return selfmon_likely(ticks < SELFMON_TICKS_LAST)
		       ? selfmon_bucket_of(ticks)
		       : SELFMON_BUCKETS - 1;
}

/*
 * Adds a short time, or SELFMON_BUCKET_NONE, to the histogram, which lags one
 * visit: the bucket of the last visit is only stored in `last`, and mend.c
 * counts it in a reader's copy. On AMD a store whose address depends on a
 * timestamp delays the next timestamp (Zen 4: a pair takes 1.22 times as long).
 * A store whose value depends on a timestamp does not.
 *
 * Words are updated separately, so for a reader the sum and the buckets may
 * differ by one visit. If a handler records a visit between the load and the
 * store, that visit is counted in the bucket of the visit before it.
 */
static inline void selfmon_histogram_put(struct selfmon_stats *stats,
					 unsigned int bucket)
{
	const uint64_t last = selfmon_load_once(&stats->last);

	selfmon_store_once(&stats->last, bucket);
	selfmon_arch_add(&stats->histogram[last], 1);
}

/*
 * Adds a time of any length to the histogram. A long time is counted at once; a
 * short one is counted by the next visit, see selfmon_histogram_put().
 */
static inline void selfmon_histogram_add(struct selfmon_stats *stats,
					 uint64_t ticks)
{
	unsigned int bucket = SELFMON_BUCKET_NONE;

	if (selfmon_likely(ticks < SELFMON_TICKS_LONG))
		bucket = selfmon_bucket_of(ticks);
	else
		__atomic_fetch_add(
			&stats->long_histogram[selfmon_bucket_of_any(ticks) -
					       SELFMON_BUCKETS_SHORT],
			1, __ATOMIC_RELAXED);
	selfmon_histogram_put(stats, bucket);
}

/*
 * Records a detached span without units, if its time is below stats->unusual
 * and not the shortest so far. Otherwise returns false and records nothing.
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
