/* SPDX-License-Identifier: MIT */
/* Empty visits of each kind, entered and left as a program's macros do it. */
#ifndef SELFMON_REGION_OVERHEAD_VISITS_H
#define SELFMON_REGION_OVERHEAD_VISITS_H

#include "region/state.h"

/*
 * Visits of the child in one visit of the parent. Each shape has code for
 * both numbers, so that what else lies between the parent's ends cancels.
 */
#define SELFMON_OVERHEAD_FEW 4
#define SELFMON_OVERHEAD_MANY 20

enum selfmon_overhead_shape {
	SELFMON_OVERHEAD_APART, /* in a function of its own */
	SELFMON_OVERHEAD_SAME,  /* in its parent's function */
	SELFMON_OVERHEAD_DEEP,  /* and one more visit is open there */
	SELFMON_OVERHEAD_SPAN,  /* selfmon_enter(), in a function of its own */
	SELFMON_OVERHEAD_STORE, /* apart, with a store to *slot before each */
	SELFMON_OVERHEAD_TOLD   /* apart, each tells of one item */
};

struct selfmon_overhead_sites {
	struct selfmon_site around, parent, child;
	struct selfmon_node **slot;
	struct selfmon_node *value; /* what is stored to *slot */
};

/* In static memory, as those of programs. */
extern struct selfmon_overhead_sites selfmon_overhead_sites;

/*
 * One visit of the parent with many or few of the child in it, on the calling
 * thread's state, whether or not regions are switched off.
 */
void selfmon_overhead_visit(enum selfmon_overhead_shape shape, bool many);

#endif
