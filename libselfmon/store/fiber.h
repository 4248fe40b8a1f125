/* SPDX-License-Identifier: MIT */
/* A fiber: the open visits of a stack, kept here while no thread runs it. */
#ifndef SELFMON_STORE_FIBER_H
#define SELFMON_STORE_FIBER_H

#include <selfmon/fiber.h>

#include "store/state.h"

/*
 * A visit of a suspended fiber. Its values are what the visit has counted so
 * far, so they refer to no point in time and to no event's page.
 */
struct selfmon_suspended {
	/* The first line of its entry; the node is of the thread that ran it.
	 */
	uint64_t mark;
	const struct selfmon_frame *frame;
	struct selfmon_node *node;
	uint64_t reserved;
	uint32_t cpu, known[5];
	uint64_t ticks; /* its start minus the time of its suspension */
	/* Not in the first line. */
	uint64_t *units; /* counted so far; NULL: none ever */
	bool measured;	 /* false: only counted (SELFMON_EVERY) */
	bool disturbed;	 /* before its suspension */
	struct selfmon_inside inside;
	struct selfmon_snapshot spent; /* counted so far; ticks are above */
};
_Static_assert(offsetof(struct selfmon_suspended, cpu) ==
			       offsetof(struct selfmon_visit, cpu) &&
		       offsetof(struct selfmon_suspended, ticks) ==
			       offsetof(struct selfmon_visit, start.ticks),
	       "a line of an entry");

/* Most fibers have their own visit and two inside of it. */
#define SELFMON_FIBER_VISITS 3
#define SELFMON_FIBER_STEP 16

/* The columns that a thread counts, in order. All zero: none. */
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
 * Values of `alive`. 0: destroyed, or a fiber of the parent process. ENDED: the
 * thread that ran it has ended.
 */
#define SELFMON_FIBER_ALIVE 1
#define SELFMON_FIBER_ENDED 2

/*
 * In wiped memory: a forked child finds zeros. Each thread that uses fibers has
 * one for its own stack too.
 */
struct selfmon_fiber {
	struct selfmon_frame frame; /* of its own visit */
	uint32_t alive;		    /* SELFMON_FIBER_* */
	uint32_t region;	    /* of its own visit; 0: a thread's stack */
	uint32_t count;		    /* saved visits; 0 while it runs */
	uint32_t units;		    /* 1: a visit has counted units, or context
				       switches are recorded: general path */
	uint64_t since;		    /* time of suspension; 0: never ran */
	struct selfmon_fiber_values values; /* of the thread that ran it */
	struct selfmon_thread *running;	    /* the thread that runs it */
	const struct selfmon_thread *ran;   /* the last thread that ran it */
	uint64_t stack_low, stack_high;
	enum selfmon_stack stack;
	struct selfmon_fiber_more *more;
	struct selfmon_fiber *next; /* in the free list */
	struct selfmon_suspended visit[SELFMON_FIBER_VISITS];
};

/* The mark of a fiber's own visit: above all addresses. */
#define SELFMON_MARK_FIBER (SELFMON_LOW_NONE - 1)

/* These take the process lock; signals are blocked. NULL: no memory. */
__attribute__((cold))
struct selfmon_fiber *selfmon_fiber_make(uint32_t region);
__attribute__((cold))
uint64_t *selfmon_fiber_units(void);
__attribute__((cold))
void selfmon_fiber_grow(struct selfmon_fiber *fiber);
/* Puts the fiber into the free list. */
__attribute__((cold))
void selfmon_fiber_reuse(struct selfmon_fiber *fiber);

/*
 * Call when the thread ends. Cuts off its own stack's saved visits, and marks
 * the fiber that it runs as ended.
 */
__attribute__((cold))
void selfmon_fiber_end_thread(struct selfmon_thread *thread);

/* Return the place of visit i, or NULL if there is no room for it yet. */
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
