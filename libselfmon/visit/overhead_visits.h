/* SPDX-License-Identifier: MIT */
/*
 * Empty visits of each kind, entered and left by the same code as in programs.
 */
#ifndef SELFMON_VISIT_OVERHEAD_VISITS_H
#define SELFMON_VISIT_OVERHEAD_VISITS_H

#include "store/state.h"

/*
 * The number of the child's visits in one visit of the parent. Each shape has
 * code for both numbers, so that all other work in the parent's visit cancels.
 */
#define SELFMON_OVERHEAD_FEW 4
#define SELFMON_OVERHEAD_MANY 20

enum selfmon_overhead_shape {
	SELFMON_OVERHEAD_APART, /* each visit is in its own function */
	SELFMON_OVERHEAD_SAME,  /* the visit is in its parent's function */
	/* Like SAME, with one more visit open in that function. */
	SELFMON_OVERHEAD_DEEP,
	/* selfmon_enter() is called in its own function. */
	SELFMON_OVERHEAD_SPAN,
	/* Like APART, with a store to *slot before each visit. */
	SELFMON_OVERHEAD_STORE,
	SELFMON_OVERHEAD_TOLD,  /* like APART, and each visit counts one item */
	/* Like APART, and a fiber runs after each visit. */
	SELFMON_OVERHEAD_SWITCH
};

struct selfmon_overhead_sites {
	struct selfmon_site around, parent, child;
	struct selfmon_node **slot;
	struct selfmon_node *value; /* stored to *slot */
	struct selfmon_fiber *fiber;
};

/* The sites are in static memory, like those of programs. */
extern struct selfmon_overhead_sites selfmon_overhead_sites;

/*
 * Makes one visit of the parent with many or few visits of the child, on the
 * calling thread's state. Does so even if regions are switched off.
 */
void selfmon_overhead_visit(enum selfmon_overhead_shape shape, bool many);

#endif
