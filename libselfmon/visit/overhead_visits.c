/* SPDX-License-Identifier: MIT */
/*
 * Makes the visits whose overhead is measured. Most loops are unrolled
 * completely: a parent's visit then contains nothing but visits of the child.
 */
#include "visit/overhead_visits.h"

#include <selfmon/fiber.h>

#include "visit/ends.h"
#include "visit/visit.h"

#define FEW SELFMON_OVERHEAD_FEW
#define MANY SELFMON_OVERHEAD_MANY

struct selfmon_overhead_sites selfmon_overhead_sites = {
	.around = { .name = "selfmon calibration, around", .file = "" },
	.parent = { .name = "selfmon calibration, outer", .file = "" },
	.child = { .name = "selfmon calibration, inner", .file = "" },
};
#define SITES (&selfmon_overhead_sites)

/*
 * The visits check this variable in place of selfmon_impl_on, because regions
 * may be switched off.
 */
static uint32_t on = 1;

/* Does the same as selfmon_impl_open(). */
static ALWAYS_INLINE void open_region(bool inlined, struct selfmon_site *site,
				      struct selfmon_frame *frame)
{
	if (!inlined)
		frame->open = NULL;
	if (selfmon_likely(!selfmon_arch_is(&on, 0)))
		selfmon_ends_enter(inlined, site, frame);
	else if (inlined)
		frame->open = NULL;
}

/* Does the same as selfmon_enter() and selfmon_leave(). */
static ALWAYS_INLINE void visit_span(struct selfmon_site *site)
{
	struct selfmon_frame frame;

	frame.open = NULL;
	if (selfmon_load_once(&on))
		selfmon_impl_enter_span(site, &frame);
	if (selfmon_likely(frame.open != NULL))
		selfmon_impl_leave(&frame);
	/*
	 * In programs, the frame is used after the visit, so the compiler keeps
	 * leave's store to it. Here nothing uses it, so the store is forced.
	 */
	selfmon_store_once(&frame.open, NULL);
}

/* The shape is a compile-time constant: only the code of one shape remains. */
static ALWAYS_INLINE void visit_child(enum selfmon_overhead_shape shape,
				      bool inlined)
{
	struct selfmon_frame frame;

	if (shape == SELFMON_OVERHEAD_SPAN) {
		visit_span(&SITES->child);
		return;
	}
	if (shape == SELFMON_OVERHEAD_STORE)
		selfmon_store_once(SITES->slot, SITES->value);
	open_region(inlined, &SITES->child, &frame);
	selfmon_compiler_fence();
	if (shape == SELFMON_OVERHEAD_TOLD)
		selfmon_impl_units(SELFMON_IMPL_ITEMS, 1);
	selfmon_ends_leave(inlined, &frame);
	if (shape == SELFMON_OVERHEAD_SWITCH) {
		selfmon_fiber_switch(SITES->fiber);
		selfmon_fiber_switch(NULL);
	}
}

/*
 * The code of inlined visits and of switches is long, so its loop is unrolled
 * only four times. Other loops are unrolled completely.
 */
static ALWAYS_INLINE void visit_children(enum selfmon_overhead_shape shape,
					 int visits, bool inlined)
{
	int i;

	if (inlined || shape == SELFMON_OVERHEAD_SWITCH) {
#pragma GCC unroll 4
		for (i = 0; i < visits; i++)
			visit_child(shape, inlined);
		return;
	}
#pragma GCC unroll 20
	for (i = 0; i < visits; i++)
		visit_child(shape, false);
}

static ALWAYS_INLINE void visit_same(int visits, bool inlined)
{
	struct selfmon_frame frame;

	open_region(inlined, &SITES->parent, &frame);
	visit_children(SELFMON_OVERHEAD_SAME, visits, inlined);
	selfmon_ends_leave(inlined, &frame);
}

static ALWAYS_INLINE void visit_deep(int visits, bool inlined)
{
	struct selfmon_frame frame;

	open_region(inlined, &SITES->around, &frame);
	visit_same(visits, inlined);
	selfmon_ends_leave(inlined, &frame);
}

/*
 * FUNCTIONS defines the functions of one shape: one makes few visits, the other
 * many. In the static library there are two more with inlined visits.
 */
#define FUNCTION(name, n, form, what)                                          \
	static NEVER_INLINE void name(void)                                    \
	{                                                                      \
		const int visits = n;                                          \
		const bool inlined = form;                                     \
		what;                                                          \
	}
/* In the shared library, visits cannot be inlined. */
#ifdef SELFMON_SHARED
#define INLINED(name) few_##name, many_##name
#define FUNCTIONS(name, what)                                                  \
	FUNCTION(few_##name, FEW, false, what)                                 \
	FUNCTION(many_##name, MANY, false, what)
#else
#define INLINED(name) few_inlined_##name, many_inlined_##name
#define FUNCTIONS(name, what)                                                  \
	FUNCTION(few_##name, FEW, false, what)                                 \
	FUNCTION(many_##name, MANY, false, what)                               \
	FUNCTION(few_inlined_##name, FEW, true, what)                          \
	FUNCTION(many_inlined_##name, MANY, true, what)
#endif

FUNCTIONS(apart, visit_children(SELFMON_OVERHEAD_APART, visits, inlined))
FUNCTIONS(spans, visit_children(SELFMON_OVERHEAD_SPAN, visits, inlined))
FUNCTIONS(stores, visit_children(SELFMON_OVERHEAD_STORE, visits, inlined))
FUNCTIONS(told, visit_children(SELFMON_OVERHEAD_TOLD, visits, inlined))
FUNCTIONS(switched, visit_children(SELFMON_OVERHEAD_SWITCH, visits, inlined))
FUNCTIONS(same, visit_same(visits, inlined))
FUNCTIONS(deep, visit_deep(visits, inlined))

typedef void visit_all(void);

/*
 * The parent's own visit is always a call, even if the child's visits are
 * inlined: its overhead cancels in the difference of many and few visits.
 */
static NEVER_INLINE void visit_parent(visit_all *visit)
{
	struct selfmon_frame frame;

	open_region(false, &SITES->parent, &frame);
	visit();
	selfmon_ends_leave(false, &frame);
}

#define VISITS(name)                                                           \
	{                                                                      \
		{ few_##name, many_##name },                                   \
		{                                                              \
			INLINED(name)                                          \
		}                                                              \
	}

void selfmon_overhead_visit(enum selfmon_overhead_shape shape, bool many)
{
	static const struct {
		visit_all *visit[2][2];
		bool whole; /* the functions include the parent's visit */
	} all[] = {
		[SELFMON_OVERHEAD_APART] = { VISITS(apart), false },
		[SELFMON_OVERHEAD_SAME] = { VISITS(same), true },
		[SELFMON_OVERHEAD_DEEP] = { VISITS(deep), true },
		[SELFMON_OVERHEAD_SPAN] = { VISITS(spans), false },
		[SELFMON_OVERHEAD_STORE] = { VISITS(stores), false },
		[SELFMON_OVERHEAD_TOLD] = { VISITS(told), false },
		[SELFMON_OVERHEAD_SWITCH] = { VISITS(switched), false },
	};
	visit_all *const visit =
		all[shape].visit[selfmon_visits_are_inlined()][many];

	if (all[shape].whole)
		visit();
	else
		visit_parent(visit);
}
