/* SPDX-License-Identifier: MIT */
/*
 * The state behind regions, and how long each part of it lives.
 *
 * Kept (region/name.c): names and configuration. Append-only; a forked child
 * keeps them.
 *
 * Wiped (region/process.c, region/memory.c): threads, their call trees and
 * statistics, locks. A forked child finds zeros there, whatever made it: no
 * thread is ready, no lock is held, and it starts afresh.
 *
 * Live (region/live.c), if there is a file: statistics and open visits. A
 * forked child does not have these pages; all that leads to them is wiped, but
 * for frames on the stack: see selfmon_live_holds().
 *
 * A thread's state and statistics are never freed. When the thread ends they
 * wait, statistics and all, for the next thread to go on with: sums of a
 * region are over all threads anyway. Memory is bounded by how many threads are
 * alive at once (gone.c has those whose end nobody told), and a thread's by
 * SELFMON_PLACES_MAX.
 */
#ifndef SELFMON_REGION_STATE_H
#define SELFMON_REGION_STATE_H

#include <stddef.h>

#include <selfmon/options.h>
#include <selfmon/region.h>

#include "platform/kernel.h"
#include "platform/stack.h"
#include "region/statistics.h"

/* Open visits of one thread; deeper ones are counted, not measured. */
#define SELFMON_DEPTH_MAX 256
/* How many entries are laid out at a time, as they are first needed. */
#define SELFMON_DEPTH_STEP 16
/*
 * Places of one thread, the root among them: 32 MiB. Then no more are made but
 * those below the root, one for each of the program's regions. Spans that
 * overlap would else make one for each order in which they happen to nest.
 */
#define SELFMON_PLACES_MAX 16384
/*
 * Threads whose statistics a report can show apart from others: the states made
 * first. With the option "threads" of an output these states are not reused.
 */
#define SELFMON_THREADS_APART 256

/* Children found without a search: one slot for each residue of their id. */
#define SELFMON_CHILDREN 16
/* Ids that no region has: of an empty slot, and of the NULL handle's site. */
#define SELFMON_REGION_NONE (UINT32_MAX - 1)
#define SELFMON_REGION_NOWHERE UINT32_MAX

/*
 * A place in a thread's call tree: a region below a parent. What a visit looks
 * at is last, so that it shares a line with the statistics behind: see tree.c.
 */
struct selfmon_node {
	struct selfmon_node *parent;  /* NULL: the root */
	struct selfmon_node *next;    /* the one made before it */
	uint64_t multiplier;          /* odd, of the hash of its children */
	uint32_t ordinal;             /* in the thread; the root is 0 */
	uint32_t remainder;           /* EVERY: see region/sample.h */
	struct selfmon_node *child[SELFMON_CHILDREN]; /* never NULL */
	struct selfmon_stats *stats;
	uint32_t region;              /* 0: the root */
	uint32_t countdown;           /* visits to skip (EVERY) */
};

/* ---- threads ------------------------------------------------------------- */

/*
 * An open visit. mark is the stack address of the code that entered, a span's
 * token (SELFMON_MARK_SPAN set, unique), or 0 once another thread has left it:
 * even while there is something to record. It is taken back by one in the same
 * breath as the visit is recorded, and odd from then on until it is used anew.
 */
#define SELFMON_MARK_SPAN (UINT64_C(1) << 63)
#define SELFMON_MARK_NONE UINT64_MAX
#define SELFMON_MARK_LEFT UINT64_C(0)
#define SELFMON_MARK_RECORDED UINT64_C(1)
#define SELFMON_TOKEN_STEP 2

/*
 * With time alone a visit looks at the first cache line and no other; with four
 * counters at the second as well, which is the start's values, all eight: those
 * of no counter are room for the end.
 */
struct selfmon_open {
	uint64_t mark;
	const struct selfmon_frame *frame; /* an address, never followed */
	struct selfmon_node *node;
	struct selfmon_node *parent;
	uint32_t cpu; /* with time alone: where it began; else start has it */
	/*
	 * Where all counters are read in user space the start's values are of
	 * the registers alone. known is what the pages said, and its rest has
	 * what makes counts of the values.
	 */
	struct selfmon_known known;
	struct selfmon_snapshot start;
	struct selfmon_thread *thread;     /* whose; always the same */
	struct selfmon_known_rest rest;
	union {
		/* Counters read in user space: ... */
		struct {
			uint64_t tried; /* the start before which the pages
					   were kept ... */
			uint32_t tries; /* ... so many times */
		};
		/* One visit in N is measured: visits ended inside of this. */
		struct selfmon_inside inside;
	};
} __attribute__((aligned(64)));

_Static_assert(offsetof(struct selfmon_open, start.ticks) + sizeof(uint64_t) ==
		       64,
	       "what a visit with time alone looks at is one line");
_Static_assert(offsetof(struct selfmon_open, start.value) == 64 &&
		       SELFMON_MAX_COUNTERS * sizeof(uint64_t) == 64,
	       "values are the next one");

/*
 * mode: how enter and leave go. Exactly SELFMON_MODE_TIME or _USER is a fast
 * path; whatever else is or-ed in makes it differ.
 */
#define SELFMON_MODE_NOT_READY 0u
#define SELFMON_MODE_TIME 1u     /* time alone, direct timestamps */
#define SELFMON_MODE_ANY 2u      /* counters, one in N, fence, other clock */
#define SELFMON_MODE_REQUEST 4u  /* a reader wants a copy, see read.c */
#define SELFMON_MODE_BUSY 8u     /* being changed: visits are only counted */
#define SELFMON_MODE_USER 16u    /* and counters, all read in user space */
#define SELFMON_MODE_STACKS 32u  /* has code on other stacks than its own */

/*
 * Begins behind the first word of a cache line, and what a usual visit looks at
 * ends with that line. The word is the mark of the sentinel below the thread's
 * first entry, at which enter looks where no visit is open: see thread.c.
 */
struct selfmon_thread {
	uint32_t mode;
	uint32_t max_per_tick;       /* the set's: its second line has it */
	struct selfmon_open *top;    /* newest entry; the sentinel if none */
	struct selfmon_open *last;   /* newest entry that is laid out */
	struct selfmon_node *node;   /* current place in the call tree */
	const uint32_t *cpu;         /* a word with the CPU number */
	struct selfmon_counters *set;
	/*
	 * Bounds of the thread's own stack, see bounds.h. stack_high is the
	 * sentinel's mark too: enter compares its address with the newest mark
	 * and with stack_low, and sees each that is outside of the bounds. A
	 * span has no address to compare with: as a signed number its mark is
	 * below them all, and enter looks at stack_high itself.
	 */
	uint64_t stack_low;
	/* Here ends the line. */
	uint32_t every;
	uint32_t random;             /* 0: all visits are measured */
	uint32_t nodes;              /* in the table */
	struct selfmon_node **table; /* hash of nodes by parent and region */
	uint32_t table_shift;        /* 64 - log2 of its slots */
	uint32_t missing;            /* bits: columns of the process, but not
				      * of this set */
	uint64_t token;              /* of the last span */
	uint64_t stack_high;
	enum selfmon_stack stack;    /* how well the bounds are known */
	struct selfmon_node *newest; /* list of all nodes, for readers */
	struct selfmon_node *root;
	uint8_t column[SELFMON_MAX_COUNTERS]; /* of the set's value i */
	uint32_t taken;              /* a thread owns this state */
	uint32_t tid;                /* the last owner */
	uint64_t too_deep;           /* visits not measured: depth */
	uint64_t unready;            /* visits not measured: busy, no memory */
	uint64_t displaced;          /* visits at another place than theirs */
	const struct selfmon_node *wanted; /* REQUEST: which node's copy */
	struct selfmon_stats *copy;        /* REQUEST: the copy */
	struct selfmon_thread *next; /* the state made before it */
	struct selfmon_thread *idle; /* another that nobody has */
	struct selfmon_live_thread *live; /* its part of the live file */
	struct selfmon_open *open;   /* the sentinel, then DEPTH_MAX entries */
	uint32_t number;             /* of the state: 0, 1, 2 and so on */
	uint32_t owners;             /* threads that had it, so far */
	char name[SELFMON_THREAD_NAME]; /* of the last; see owner.c */
};

/* ---- single-writer statistics -------------------------------------------- */

/*
 * Pairs with read.c: a reader that sees a value of this update also sees the
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

static inline void selfmon_sums_add(struct selfmon_sums *sums, uint64_t value)
{
	selfmon_arch_add(&sums->sum, value);
	if (selfmon_unlikely(value < sums->min))
		selfmon_store_once(&sums->min, value);
	if (selfmon_unlikely(value > sums->max))
		selfmon_store_once(&sums->max, value);
}

/* Between selfmon_stats_begin() and selfmon_stats_end(), when all is there. */
static inline void selfmon_mark_recorded(uint64_t *mark)
{
	selfmon_compiler_fence();
	selfmon_arch_add(mark, UINT64_MAX);
}

/* Ticks that went back are not: they are more than any. */
static inline bool selfmon_stats_usual(const struct selfmon_stats *stats,
				       uint64_t ticks)
{
	return ticks < stats->unusual;
}

/* Of ticks below SELFMON_TICKS_LONG. */
static inline unsigned int selfmon_bucket_of(uint64_t ticks)
{
	const uint64_t v = ticks + 4;
	const unsigned int shift = 61u - (unsigned int)__builtin_clzll(v);

	/* The top three bits of v, the first of which is set: 4 to 7. */
	return shift * 4 + (unsigned int)(v >> shift) - 4;
}

/*
 * The histogram is one visit behind: its bucket waits in last, and read.c adds
 * it. A store whose address comes from a timestamp holds up the next timestamp
 * on AMD (Zen 4: a pair takes 1.22 times as long), a store of a value does not.
 *
 * Words on their own: a reader may find sum and buckets one visit apart. A
 * handler between the load and the store puts a visit into the bucket of its
 * neighbour.
 */
static inline void selfmon_histogram_put(struct selfmon_stats *stats,
					 unsigned int bucket)
{
	const uint64_t last = selfmon_load_once(&stats->last);

	selfmon_store_once(&stats->last, bucket);
	selfmon_arch_add(&stats->histogram[last], 1);
}

/* Of a time of any length. */
static inline void selfmon_histogram_add(struct selfmon_stats *stats,
					 uint64_t ticks)
{
	selfmon_histogram_put(stats, selfmon_likely(ticks < SELFMON_TICKS_LONG)
					     ? selfmon_bucket_of(ticks)
					     : SELFMON_BUCKETS - 1);
}

/* One more visit of a kind. */
static inline void selfmon_kind_add(struct selfmon_stats *stats,
				    enum selfmon_kind kind, uint64_t n)
{
	selfmon_arch_add(&stats->kind[kind], n);
}

/* One rare happening. */
static inline void selfmon_rare_add(struct selfmon_stats *stats,
				    enum selfmon_rare what, uint64_t n)
{
	selfmon_arch_add(&stats->rare[what], n);
}

/* ---- what the files of region/ offer each other --------------------------- */

#define SELFMON_LINE ((size_t)64) /* of the cache */

/*
 * memory.c: zeroed memory that is never freed. NULL: there is none. It begins
 * with a cache line, or offset bytes behind the beginning of one.
 */
void *selfmon_memory_kept(size_t size);   /* a forked child keeps it */
void *selfmon_memory_wiped(size_t size);  /* a forked child finds zeros */
void *selfmon_memory_wiped_at(size_t offset, size_t size);
void selfmon_memory_start(bool wipes);    /* before any: can the kernel wipe? */
void selfmon_memory_forked(void);         /* in the child: start afresh */
bool selfmon_memory_holds(const void *address); /* is it of the wiped? */

/* tree.c: the node of a region below a parent; made if need be, or NULL. */
struct selfmon_node *selfmon_tree_child(struct selfmon_thread *thread,
					struct selfmon_node *parent,
					uint32_t region);
/* The same if it is there; without a lock. */
struct selfmon_node *selfmon_tree_find(const struct selfmon_thread *thread,
				       struct selfmon_node *parent,
				       uint32_t region);
/*
 * The node of a visit about to begin, made if need be, or NULL: below the
 * thread's node, or below the root where there may be no more places.
 */
struct selfmon_node *selfmon_tree_place(struct selfmon_thread *thread,
					uint32_t region);
/* The one below the root if that is where it is to be and is; or NULL. */
struct selfmon_node *selfmon_tree_elsewhere(struct selfmon_thread *thread,
					    uint32_t region);
/* A visit of a child of this node is recorded elsewhere. */
void selfmon_tree_displaced(struct selfmon_thread *thread,
			    struct selfmon_node *parent);
int selfmon_tree_init(struct selfmon_thread *thread);

/* stats.c: what enter and leave do not do inline. */
void selfmon_stats_time(struct selfmon_stats *stats, uint64_t ticks,
			bool migrated, uint64_t *mark);
void selfmon_stats_init(struct selfmon_stats *stats);
void selfmon_stats_delta(const struct selfmon_thread *thread,
			 struct selfmon_stats *stats,
			 const struct selfmon_delta *delta, uint64_t *mark);
void selfmon_stats_foreign(struct selfmon_stats *stats, uint64_t ticks);
void selfmon_stats_mend(struct selfmon_stats *stats);
void selfmon_stats_drop_units(struct selfmon_stats *stats);
void selfmon_stats_move_units(struct selfmon_stats *from,
			      struct selfmon_stats *to);

/* unwind.c: visits that come to no end of their own; leaves out of order. */
void selfmon_unwind_dead(struct selfmon_thread *thread,
			 const struct selfmon_frame *frame, uint64_t address);
bool selfmon_unwind_strange(struct selfmon_thread *thread, uint64_t address);
void selfmon_unwind_sweep(struct selfmon_thread *thread, uint64_t address);
bool selfmon_unwind_to(struct selfmon_thread *thread,
		       const struct selfmon_frame *frame);
void selfmon_unwind_cut_off(struct selfmon_thread *thread);

/*
 * foreign.c: ends the visit of a frame that another thread entered; false: it
 * has gone. Of which region it was, and since when.
 */
bool selfmon_foreign_leave(const struct selfmon_frame *frame, uint32_t *region,
			   uint64_t *ticks);

/* read.c: a consistent copy of a node's statistics, from any thread. */
bool selfmon_stats_read(struct selfmon_thread *thread,
			const struct selfmon_node *node,
			struct selfmon_stats *copy, bool *updating);
void selfmon_stats_answer(struct selfmon_thread *thread);

#endif
