/* SPDX-License-Identifier: MIT */
/*
 * A fiber: stores the open visits of a stack while no thread runs this stack.
 */
#ifndef SELFMON_STORE_FIBER_H
#define SELFMON_STORE_FIBER_H

#include <selfmon/fiber.h>

#include "store/state.h"

/*
 * A visit of a suspended fiber. The counts of its start are relative to those
 * at the time of suspension, so any thread that counts the same events can
 * continue them.
 */
struct selfmon_suspended {
	/*
	 * The members up to `start` have the same offsets as in struct
	 * selfmon_visit. The node belongs to the thread that ran the fiber
	 * last.
	 */
	uint64_t mark;
	const struct selfmon_frame *frame;
	struct selfmon_node *node;
	uint64_t reserved;
	uint32_t cpu, known[5];
	struct selfmon_snapshot start; /* start.ticks is not relative */
	uint64_t *units; /* units counted so far, or NULL */
	bool measured;	 /* false if only counted (SELFMON_EVERY) */
	struct selfmon_inside inside;
};
_Static_assert(offsetof(struct selfmon_suspended, cpu) ==
			       offsetof(struct selfmon_visit, cpu) &&
		       offsetof(struct selfmon_suspended, start) ==
			       offsetof(struct selfmon_visit, start),
	       "as in an entry");

/*
 * Enough for most fibers: the visit of the fiber itself and two more inside it.
 */
#define SELFMON_FIBER_VISITS 3
#define SELFMON_FIBER_STEP 16

/*
 * The columns that a thread counts, in order, and those that it lacks
 * (`missing`). If two threads have equal structs, a visit's values can move
 * from one thread to the other.
 */
struct selfmon_fiber_values {
	uint32_t missing;
	uint8_t count, hardware, more, padding;
	uint8_t column[SELFMON_MAX_COUNTERS];
};

struct selfmon_fiber_more {
	struct selfmon_fiber_more *next;
	struct selfmon_suspended visit[SELFMON_FIBER_STEP];
};

/*
 * Values of `alive`. 0 means that the fiber was destroyed, or belongs to the
 * parent process. ENDED means that the thread that was running the fiber has
 * exited.
 */
#define SELFMON_FIBER_ALIVE 1
#define SELFMON_FIBER_ENDED 2

/*
 * A fiber, in memory that is wiped in a forked child. A thread that uses fibers
 * has one more for its own stack.
 */
struct selfmon_fiber {
	struct selfmon_frame frame; /* frame of the fiber's own visit */
	uint32_t alive;
	/* Region of the fiber's own visit; 0 for a thread's own stack. */
	uint32_t region;
	uint32_t count; /* number of saved visits; 0 while the fiber runs */
	/*
	 * 1 if only the general path may switch this fiber. Either a visit of
	 * this fiber, or of an earlier fiber that used the same memory, has
	 * counted units. Or the process records context switches, samples or a
	 * trace.
	 */
	uint32_t units;
	uint64_t since; /* time of the last suspension; 0: none so far */
	uint64_t traced; /* its number in a trace; 0 for a thread's stack */
	/*
	 * selfmon_fiber_number() of the thread that ran the fiber last. 0 if
	 * fiber_counted.c cannot switch to and from this fiber.
	 */
	uint64_t counted;
	/* Columns of the thread that ran the fiber last. */
	struct selfmon_fiber_values values;
	/* The thread that runs the fiber now, or NULL. */
	struct selfmon_thread *running;
	const struct selfmon_thread *ran;   /* thread that ran it last */
	uint64_t stack_low, stack_high;
	enum selfmon_stack stack;
	struct selfmon_fiber_more *more;
	struct selfmon_fiber *next; /* in the free list */
	struct selfmon_suspended visit[SELFMON_FIBER_VISITS];
};

_Static_assert((sizeof(struct selfmon_fiber) + 63) / 64 * 64 == 896,
	       "whole cache lines, as the manual page says");

/* The mark of the visit that represents a fiber: above all addresses. */
#define SELFMON_MARK_FIBER (SELFMON_LOW_NONE - 1)

/*
 * These functions take the process lock. The caller has blocked signals.
 * selfmon_fiber_make() returns a fiber, and selfmon_fiber_units() zeroed memory
 * for the amounts of all units. Both return NULL if out of memory.
 * selfmon_fiber_grow() adds memory for SELFMON_FIBER_STEP visits, if there is
 * any.
 */
__attribute__((cold))
struct selfmon_fiber *selfmon_fiber_make(uint32_t region);
__attribute__((cold))
uint64_t *selfmon_fiber_units(void);
__attribute__((cold))
void selfmon_fiber_grow(struct selfmon_fiber *fiber);
/* Adds the fiber to the list of free fibers. Takes the process lock, too. */
__attribute__((cold))
void selfmon_fiber_reuse(struct selfmon_fiber *fiber);

/*
 * Call when a thread exits. Cuts off the saved visits of the thread's own
 * stack. If the thread is running a fiber, marks that fiber as ended.
 */
__attribute__((cold))
void selfmon_fiber_end_thread(struct selfmon_thread *thread);

/*
 * Returns the memory for visit i, or NULL if it is not allocated yet. i is at
 * least SELFMON_FIBER_VISITS.
 */
struct selfmon_suspended *selfmon_fiber_more(const struct selfmon_fiber *fiber,
					     unsigned int i);
static inline struct selfmon_suspended *
selfmon_fiber_visit(struct selfmon_fiber *fiber, unsigned int i)
{
	return selfmon_likely(i < SELFMON_FIBER_VISITS)
		       ? &fiber->visit[i]
		       : selfmon_fiber_more(fiber, i);
}

#endif
