/* SPDX-License-Identifier: MIT */
/* A fiber: the open visits of a stack, kept here while no thread runs it. */
#ifndef SELFMON_STORE_FIBER_H
#define SELFMON_STORE_FIBER_H

#include <selfmon/fiber.h>

#include "store/state.h"

/*
 * A visit of a fiber that does not run. Its values are differences: those since
 * it began, less what the thread did meanwhile. So they belong to no moment and
 * to no page of an event.
 */
struct selfmon_suspended {
	/* The first line of its entry; the node is of the thread that ran it.
	 */
	uint64_t mark;
	const struct selfmon_frame *frame;
	struct selfmon_node *node;
	uint64_t reserved;
	uint32_t cpu, known[5];
	uint64_t ticks; /* its start less the moment at which it stopped */
	/* Beyond the first line. */
	uint64_t *units; /* counted so far; NULL: none ever */
	bool measured;	 /* one visit in N is */
	bool disturbed;	 /* so far */
	struct selfmon_inside inside;
	struct selfmon_snapshot spent; /* all but the ticks */
};
_Static_assert(offsetof(struct selfmon_suspended, cpu) ==
			       offsetof(struct selfmon_visit, cpu) &&
		       offsetof(struct selfmon_suspended, ticks) ==
			       offsetof(struct selfmon_visit, start.ticks),
	       "a line of an entry");

/* Most fibers have their own visit and two inside of it. */
#define SELFMON_FIBER_VISITS 3
#define SELFMON_FIBER_STEP 16

/* Which values a thread has, in which order. All zero: none. */
struct selfmon_fiber_values {
	uint32_t missing;
	uint8_t count, hardware, more, padding;
	uint8_t column[SELFMON_MAX_COUNTERS];
};

struct selfmon_fiber_more {
	struct selfmon_fiber_more *next;
	struct selfmon_suspended visit[SELFMON_FIBER_STEP];
};

/* 0: destroyed, or the parent process's. ENDED: with the thread that ran it. */
#define SELFMON_FIBER_ALIVE 1
#define SELFMON_FIBER_ENDED 2

/* Wiped: a forked child finds zeros. A thread's own stack has one as well. */
struct selfmon_fiber {
	struct selfmon_frame frame; /* of its own visit */
	uint32_t alive;		    /* SELFMON_FIBER_* */
	uint32_t region;	    /* of its own visit; 0: a thread's own */
	uint32_t count;		    /* visits kept; 0 while it runs */
	uint32_t units;		    /* 1: a visit has counted units, or switches
				       are recorded: no usual switch */
	uint64_t since;		    /* suspended; 0: never ran */
	struct selfmon_fiber_values values; /* of the thread that ran it */
	struct selfmon_thread *running;	    /* that runs it, or NULL */
	const struct selfmon_thread *ran;   /* that ran it last */
	uint64_t stack_low, stack_high;
	enum selfmon_stack stack;
	struct selfmon_fiber_more *more;
	struct selfmon_fiber *next; /* among those that may be reused */
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
/* Leaves the memory to later fibers. */
__attribute__((cold))
void selfmon_fiber_reuse(struct selfmon_fiber *fiber);

/*
 * The thread ends. Its own visits that are kept are cut off; a fiber that it
 * runs has ended.
 */
__attribute__((cold))
void selfmon_fiber_end_thread(struct selfmon_thread *thread);

/* Return the place of visit i, or NULL: there is no room for it yet. */
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
