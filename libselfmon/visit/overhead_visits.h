/* SPDX-License-Identifier: MIT */
/*
 * Empty visits of each shape, with the same code for enter and leave as in
 * programs.
 */
#ifndef SELFMON_VISIT_OVERHEAD_VISITS_H
#define SELFMON_VISIT_OVERHEAD_VISITS_H

#include "store/state.h"

/*
 * Number of the child's visits in one visit of the parent. Each shape has code
 * for both numbers; in the difference all other work in the parent cancels.
 */
#define SELFMON_OVERHEAD_FEW 4
#define SELFMON_OVERHEAD_MANY 20

enum selfmon_overhead_shape {
	/* The visits are not in their parent's function. */
	SELFMON_OVERHEAD_APART,
	SELFMON_OVERHEAD_SAME,  /* the visits are in their parent's function */
	/* Like SAME, with one more open visit in that function. */
	SELFMON_OVERHEAD_DEEP,
	/* Like APART, by selfmon_enter() and selfmon_leave(). */
	SELFMON_OVERHEAD_SPAN,
	/* Like APART, with a store to *slot before each visit. */
	SELFMON_OVERHEAD_STORE,
	SELFMON_OVERHEAD_TOLD,  /* like APART, and each visit counts one item */
	/* Like APART, with a switch to a fiber and back after each visit. */
	SELFMON_OVERHEAD_SWITCH
};

struct selfmon_overhead_sites {
	struct selfmon_site around, parent, child;
	struct selfmon_node **slot;
	struct selfmon_node *value; /* stored to *slot */
	struct selfmon_fiber *fiber;
};

/* The sites are in static memory, like those in programs. */
extern struct selfmon_overhead_sites selfmon_overhead_sites;

/*
 * Makes one visit of the parent with many or few visits of the child, using the
 * calling thread's state. Works even if regions are switched off.
 */
void selfmon_overhead_visit(enum selfmon_overhead_shape shape, bool many);

#endif
