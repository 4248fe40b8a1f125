/* SPDX-License-Identifier: MIT */
/*
 * Enter and leave in a thread that measures time without counters. This is the
 * only copy of the code: the library compiles it into selfmon_impl_enter() and
 * selfmon_impl_leave(). All other cases are in the library. Private.
 *
 * In programs that define SELFMON_STATIC this code is inlined into regions.
 * Such programs link libselfmon.a of the same version, or use the single file,
 * which defines SELFMON_STATIC itself. The name of the thread-local variable
 * contains the version, so that a program does not link with a library of
 * another layout, nor with the shared library.
 *
 * There is no inlining without optimisation, and in three other cases. In
 * shared objects, access to a thread-local variable needs a call. A sanitizer
 * would check accesses to the library's memory. Without SELFMON_ARCH_INLINES,
 * the compiler may reuse the address of a thread-local variable after the code
 * moved to another thread.
 *
 * The order of stores matters, because a signal handler may interrupt at any
 * instruction, use regions itself, and jump out; see docs/DESIGN.md, "One
 * visit".
 */
#ifndef SELFMON_INLINE_H
#define SELFMON_INLINE_H

#include "site.h"
#include "version.h"

#ifndef SELFMON_DISABLE
#include "arch.h"

SELFMON_C_BEGIN

/* The library accesses the same memory through structs of other types. */
#define SELFMON_IMPL_ALIAS __attribute__((may_alias))

/*
 * The parts of the library's structures that the fast path of a visit uses.
 * libselfmon/store/state.h explains the members, and checks that they have the
 * same offsets.
 */
struct selfmon_impl_stats {
	uint64_t sequence, migrated, last, unusual, sum, min;
	uint64_t others[66];
	uint64_t same, step, found, span; /* number of visits of each kind */
	uint64_t histogram[121];
} SELFMON_IMPL_ALIAS;

struct selfmon_impl_node {
	uint64_t others[7];
	struct selfmon_impl_node *child[16];
	uint32_t region, countdown;
	struct selfmon_impl_stats stats;
} SELFMON_IMPL_ALIAS;

struct selfmon_impl_visit {
	uint64_t mark;
	const struct selfmon_frame *frame;
	struct selfmon_impl_node *node;
	void *thread;
	uint32_t cpu, known[5];
	uint64_t start;
	uint64_t others[32];
} SELFMON_IMPL_ALIAS;

struct selfmon_impl_thread {
	uint32_t mode, max_per_tick;
	struct selfmon_impl_node *root;
	struct selfmon_impl_visit *top, *last;
	const uint32_t *cpu;
	void *set;
	uint64_t low;
} SELFMON_IMPL_ALIAS;

#define SELFMON_IMPL_MARK_NONE UINT64_MAX
#define SELFMON_IMPL_MARK_SPAN UINT64_C(2)

/* ---- enter --------------------------------------------------------------- */

/*
 * Returns true if *word is above the address of the entering code. If `here` is
 * true, this address is the stack pointer and `address` is ignored: a direct
 * comparison with the stack pointer needs no other register.
 */
SELFMON_ALWAYS_INLINE bool selfmon_impl_is_above(const uint64_t *word,
						 bool here, uint64_t address)
{
#ifdef SELFMON_ARCH_INLINES
	if (here)
		return selfmon_arch_is_above_stack(word);
#endif
	(void)here;
	return selfmon_arch_is_above(word, address);
}

/*
 * Stores the mark of an entry: the stack pointer if `here` is true, else
 * `value`. Release: a reader that sees the mark sees the whole entry, except
 * the start, which is stored later.
 */
SELFMON_ALWAYS_INLINE void selfmon_impl_mark(uint64_t *mark, bool here,
					     uint64_t value)
{
#ifdef SELFMON_ARCH_INLINES
	if (here) {
		__atomic_thread_fence(__ATOMIC_RELEASE);
		selfmon_arch_store_stack(mark);
		return;
	}
#endif
	(void)here;
	__atomic_store_n(mark, value, __ATOMIC_RELEASE);
}

SELFMON_ALWAYS_INLINE uint64_t selfmon_impl_address(bool here, uint64_t address)
{
#ifdef SELFMON_ARCH_INLINES
	if (here)
		return selfmon_arch_stack_pointer();
#endif
	(void)here;
	return address;
}

/*
 * The result of an attempt to enter: success, or why the visit did not begin.
 */
enum selfmon_impl_entered {
	SELFMON_IMPL_ENTERED,
	/* The thread measures more than time, or is on another stack. */
	SELFMON_IMPL_OTHER,
	/* There is no free entry, or the thread has no state. */
	SELFMON_IMPL_FULL,
	/* The newest entry has a span or no visit, or may be abandoned. */
	SELFMON_IMPL_BESIDE,
	/* The site's slot in the parent node has another region's node. */
	SELFMON_IMPL_CHILD
};

/*
 * Returns true if the newest entry belongs to a live region of the entering
 * function, and is the only entry of this function. Regions nested in one
 * function use this check.
 */
SELFMON_ALWAYS_INLINE bool
selfmon_impl_is_same(const struct selfmon_impl_visit *top,
		     const struct selfmon_frame *frame, uint64_t address)
{
	const uintptr_t apart = (uintptr_t)top->frame - (uintptr_t)frame +
				(sizeof(*frame) - 1);

	return selfmon_load_once(&top->mark) == address &&
	       apart >= 2 * sizeof(*frame) - 1 &&
	       selfmon_arch_is_above(&top[-1].mark, address);
}

/*
 * Returns the child in the site's slot. The child may belong to another region.
 */
SELFMON_ALWAYS_INLINE struct selfmon_impl_node *
selfmon_impl_child(const struct selfmon_impl_node *parent,
		   const struct selfmon_site *site)
{
	typedef struct selfmon_impl_node *pointer;

	return *(const pointer *)(const void *)(
		(const char *)parent->child + selfmon_load_once(&site->slot));
}

/*
 * Reserves an entry before it is filled in, so that handlers use the entries
 * above it.
 */
SELFMON_ALWAYS_INLINE void
selfmon_impl_take(struct selfmon_impl_thread *thread,
		  struct selfmon_impl_visit *open,
		  struct selfmon_impl_node *node, struct selfmon_frame *frame,
		  bool here, uint64_t mark)
{
	selfmon_store_once(&thread->top, open);
	selfmon_compiler_fence();
	selfmon_store_once(&open->frame, frame);
	selfmon_store_once(&open->node, node);
	selfmon_store_once(&open->cpu, selfmon_load_once(thread->cpu));
	selfmon_impl_mark(&open->mark, here, mark);
	selfmon_compiler_fence();
	frame->open = open;
	selfmon_store_once(&open->start, selfmon_arch_timestamp());
}

/*
 * Begins a visit, or returns why it cannot. If `here` is true, the address of
 * the entering code is the stack pointer, and `address` is ignored.
 */
SELFMON_ALWAYS_INLINE enum selfmon_impl_entered
selfmon_impl_try_enter(struct selfmon_impl_thread *thread,
		       const struct selfmon_site *site,
		       struct selfmon_frame *frame, bool span, bool here,
		       uint64_t address)
{
	struct selfmon_impl_visit *const top = thread->top;
	struct selfmon_impl_node *node;
	bool same = false;

	if (selfmon_unlikely(
		    selfmon_impl_is_above(&thread->low, here, address)))
		return SELFMON_IMPL_OTHER;
	if (selfmon_unlikely(top >= thread->last))
		return SELFMON_IMPL_FULL;
	if (selfmon_unlikely(
		    !selfmon_impl_is_above(&top->mark, here, address))) {
		if (!selfmon_impl_is_same(
			    top, frame, selfmon_impl_address(here, address)))
			return SELFMON_IMPL_BESIDE;
		same = true;
	}
	node = selfmon_impl_child(top->node, site);
	if (selfmon_unlikely(node->region != selfmon_load_once(&site->id)))
		return SELFMON_IMPL_CHILD;
	if (selfmon_unlikely(same))
		selfmon_arch_add(&node->stats.same, 1);
	if (span)
		selfmon_arch_add(&node->stats.span, 1);
	selfmon_impl_take(thread, top + 1, node, frame, here && !span,
			  span ? SELFMON_IMPL_MARK_SPAN : address);
	return SELFMON_IMPL_ENTERED;
}

/* ---- leave --------------------------------------------------------------- */

enum selfmon_impl_left {
	SELFMON_IMPL_LEFT,
	/* The visit is not the thread's newest, or the thread has counters. */
	SELFMON_IMPL_NOT_NEWEST,
	/*
	 * The visit took at least stats->unusual ticks, or ended on another
	 * CPU. `unusual` is at most one tick above the longest time so far. It
	 * is 0 if the open visit counted units, and in a thread that writes
	 * each visit to a trace.
	 */
	SELFMON_IMPL_UNUSUAL
};

/* Returns the bucket of ticks below 2^41. */
SELFMON_ALWAYS_INLINE unsigned int selfmon_impl_bucket(uint64_t ticks)
{
	const uint64_t v = ticks + 4;
	const unsigned int shift = 61u - (unsigned int)__builtin_clzll(v);

	/* v >> shift has three bits and the highest is set: it is 4 to 7. */
	return shift * 4 + (unsigned int)(v >> shift) - 4;
}

/*
 * Records a usual time, that is, one that cannot be a new maximum. The sequence
 * is odd during the update. The histogram gets each time at the next visit,
 * because on AMD a store whose address depends on a timestamp delays the next
 * timestamp. The mark is cleared after all values are stored, before the
 * sequence becomes even again.
 */
SELFMON_ALWAYS_INLINE void
selfmon_impl_record(struct selfmon_impl_stats *stats,
		    struct selfmon_impl_visit *open, uint64_t ticks)
{
	uint64_t last;

	selfmon_arch_add(&stats->sequence, 1);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	selfmon_arch_add(&stats->sum, ticks);
	if (selfmon_unlikely(ticks < stats->min))
		selfmon_store_once(&stats->min, ticks);
	last = selfmon_load_once(&stats->last);
	selfmon_store_once(&stats->last, selfmon_impl_bucket(ticks));
	selfmon_arch_add(&stats->histogram[last], 1);
	selfmon_compiler_fence();
	selfmon_store_once(&open->mark, SELFMON_IMPL_MARK_NONE);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	selfmon_arch_add(&stats->sequence, 1);
}

/*
 * Ends a visit, or returns why it cannot. Does not check the mode: in a thread
 * with counters, the pointers of frames to their entries have a bit set
 * (visit/visit.h), so none of them equals the newest entry. Negative ticks
 * return SELFMON_IMPL_UNUSUAL, because as unsigned numbers they exceed any
 * limit.
 */
SELFMON_ALWAYS_INLINE enum selfmon_impl_left
selfmon_impl_try_leave(struct selfmon_impl_thread *thread,
		       const struct selfmon_frame *frame, uint64_t *ticks)
{
	struct selfmon_impl_visit *const open =
		(struct selfmon_impl_visit *)frame->open;
	struct selfmon_impl_stats *stats;

	if (selfmon_unlikely(thread->top != open ||
			     open->frame != frame))
		return SELFMON_IMPL_NOT_NEWEST;
	*ticks = selfmon_arch_timestamp() - open->start;
	stats = &open->node->stats;
	if (selfmon_unlikely(*ticks >= selfmon_load_operand(&stats->unusual) ||
			     selfmon_load_once(thread->cpu) != open->cpu))
		return SELFMON_IMPL_UNUSUAL;
	selfmon_impl_record(stats, open, *ticks);
	selfmon_compiler_fence();
	selfmon_store_once(&thread->top, open - 1);
	return SELFMON_IMPL_LEFT;
}

/* ---- inlined into regions ------------------------------------------------ */

#define SELFMON_IMPL_HIDDEN __attribute__((visibility("hidden")))
#define SELFMON_IMPL_COLD __attribute__((visibility("hidden"), cold))

/*
 * Enters in the cases that selfmon_impl_try_enter() does not handle. address is
 * the stack address of the entering code.
 */
SELFMON_IMPL_COLD void selfmon_impl_enter_at(struct selfmon_site *site,
					       struct selfmon_frame *frame,
					       uint64_t address);
/* Like selfmon_impl_enter_at(), after SELFMON_IMPL_CHILD. */
SELFMON_IMPL_HIDDEN void
selfmon_impl_enter_child_at(struct selfmon_site *site,
			    struct selfmon_frame *frame, uint64_t address);
SELFMON_IMPL_COLD void
selfmon_impl_leave_unusual(const struct selfmon_frame *frame, uint64_t ticks);

/*
 * Enters as inlined code does. The address is the stack pointer, which is equal
 * to the canonical frame address that selfmon_impl_enter() would have if called
 * here. This address is the same for all regions of a function, and
 * higher for the function's callers.
 */
#ifdef SELFMON_ARCH_INLINES
SELFMON_ALWAYS_INLINE void
selfmon_impl_enter_here(struct selfmon_impl_thread *thread,
			struct selfmon_site *site, struct selfmon_frame *frame)
{
	const enum selfmon_impl_entered entered =
		selfmon_impl_try_enter(thread, site, frame, false, true, 0);

	if (selfmon_unlikely(entered == SELFMON_IMPL_CHILD))
		selfmon_impl_enter_child_at(site, frame,
					    selfmon_arch_stack_pointer());
	else if (selfmon_unlikely(entered != SELFMON_IMPL_ENTERED))
		selfmon_impl_enter_at(site, frame,
				      selfmon_arch_stack_pointer());
}
#endif

#if defined(__clang__) && defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||     \
	__has_feature(memory_sanitizer)
#define SELFMON_IMPL_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SELFMON_IMPL_SANITIZED
#endif

#if defined(SELFMON_STATIC) && defined(SELFMON_ARCH_INLINES) && defined(__OPTIMIZE__) &&       \
	(!defined(__PIC__) || defined(__PIE__)) &&                             \
	!defined(SELFMON_IMPL_SANITIZED)
#define SELFMON_IMPL_INLINED

extern __thread struct selfmon_impl_thread *selfmon_impl_self
	SELFMON_ARCH_LABEL("selfmon_impl_self_" SELFMON_VERSION)
	SELFMON_IMPL_HIDDEN __attribute__((tls_model("local-exec")));

SELFMON_ALWAYS_INLINE void
selfmon_impl_leave_inlined(struct selfmon_frame *frame)
{
	uint64_t ticks;
	const enum selfmon_impl_left left =
		selfmon_impl_try_leave(selfmon_impl_self, frame, &ticks);

	if (selfmon_unlikely(left == SELFMON_IMPL_NOT_NEWEST))
		selfmon_impl_leave(frame);
	else if (selfmon_unlikely(left == SELFMON_IMPL_UNUSUAL))
		selfmon_impl_leave_unusual(frame, ticks);
}

#endif /* SELFMON_STATIC */

SELFMON_C_END

#endif /* SELFMON_DISABLE */

#endif
