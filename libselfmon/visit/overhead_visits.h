/* SPDX-License-Identifier: MIT */
/* Empty visits of each kind, entered and left as by a program's macros. */
#ifndef SELFMON_VISIT_OVERHEAD_VISITS_H
#define SELFMON_VISIT_OVERHEAD_VISITS_H

#include "store/state.h"

/*
 * Visits of the child in one visit of the parent. Each shape has code for both
 * numbers, so that any other work inside the parent's visit cancels.
 */
#define SELFMON_OVERHEAD_FEW 4
#define SELFMON_OVERHEAD_MANY 20

enum selfmon_overhead_shape {
	SELFMON_OVERHEAD_APART, /* in a function of its own */
	SELFMON_OVERHEAD_SAME,  /* in its parent's function */
	SELFMON_OVERHEAD_DEEP,  /* the same, with one more visit open there */
	SELFMON_OVERHEAD_SPAN,  /* selfmon_enter(), in a function of its own */
	SELFMON_OVERHEAD_STORE, /* apart, with a store to *slot before each */
	SELFMON_OVERHEAD_TOLD,  /* apart, each counts one item */
	SELFMON_OVERHEAD_SWITCH /* apart, a fiber runs after each */
};

struct selfmon_overhead_sites {
	struct selfmon_site around, parent, child;
	struct selfmon_node **slot;
	struct selfmon_node *value; /* stored to *slot */
	struct selfmon_fiber *fiber;
};

/* In static memory, like the sites of programs. */
extern struct selfmon_overhead_sites selfmon_overhead_sites;

/*
 * Makes one visit of the parent with many or few of the child, on the calling
 * thread's state, even if regions are switched off.
 */
void selfmon_overhead_visit(enum selfmon_overhead_shape shape, bool many);

#endif
