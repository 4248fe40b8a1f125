/* SPDX-License-Identifier: MIT */
/*
 * The visits whose overhead is measured. Loops are unrolled, so that nothing
 * but the visits lies between a parent's two ends.
 */
#include "region/overhead_visits.h"

#include "region/visit.h"

#define FEW SELFMON_OVERHEAD_FEW
#define MANY SELFMON_OVERHEAD_MANY

struct selfmon_overhead_sites selfmon_overhead_sites = {
	.around = { .name = "selfmon calibration, around", .file = "" },
	.parent = { .name = "selfmon calibration, outer", .file = "" },
	.child = { .name = "selfmon calibration, inner", .file = "" },
};
#define SITES (&selfmon_overhead_sites)

/* Stands for selfmon_impl_on: regions may be switched off by now. */
static uint32_t on = 1;

static ALWAYS_INLINE void open_region(struct selfmon_site *site,
				      struct selfmon_frame *frame)
{
	if (selfmon_unlikely(!selfmon_load_once(&on)))
		frame->open = NULL;
	else
		selfmon_impl_enter(site, frame);
}

/* From here on the macros of programs do that. */
#define selfmon_impl_open open_region
#define REGION(site) SELFMON_IMPL_BLOCK(site, 0)

/* As selfmon_enter() and selfmon_leave() do. */
static ALWAYS_INLINE void visit_span(struct selfmon_site *site)
{
	struct selfmon_frame frame;

	frame.open = NULL;
	if (selfmon_load_once(&on))
		selfmon_impl_enter_span(site, &frame);
	if (selfmon_likely(frame.open != NULL))
		selfmon_impl_leave(&frame);
	/* A program's frame lives on, and so the store is made there. */
	selfmon_store_once(&frame.open, NULL);
}

/* The shape is a constant: of all its branches one is left. */
static ALWAYS_INLINE void visit_child(enum selfmon_overhead_shape shape)
{
	if (shape == SELFMON_OVERHEAD_SPAN) {
		visit_span(&SITES->child);
		return;
	}
	if (shape == SELFMON_OVERHEAD_STORE)
		selfmon_store_once(SITES->slot, SITES->value);
	REGION(&SITES->child) {
		selfmon_compiler_fence();
		if (shape == SELFMON_OVERHEAD_TOLD)
			selfmon_impl_units(SELFMON_IMPL_ITEMS, 1);
	}
}

static ALWAYS_INLINE void visit_children(enum selfmon_overhead_shape shape,
					 int visits)
{
	int i;

#pragma GCC unroll 20
	for (i = 0; i < visits; i++)
		visit_child(shape);
}

static ALWAYS_INLINE void visit_same(int visits)
{
	REGION(&SITES->parent)
		visit_children(SELFMON_OVERHEAD_SAME, visits);
}

/* Both numbers of one shape, each a function of its own. */
#define FUNCTIONS(name, what)                                                  \
	static NEVER_INLINE void few_##name(void)                              \
	{                                                                      \
		const int visits = FEW;                                        \
		what;                                                          \
	}                                                                      \
	static NEVER_INLINE void many_##name(void)                             \
	{                                                                      \
		const int visits = MANY;                                       \
		what;                                                          \
	}

FUNCTIONS(apart, visit_children(SELFMON_OVERHEAD_APART, visits))
FUNCTIONS(spans, visit_children(SELFMON_OVERHEAD_SPAN, visits))
FUNCTIONS(stores, visit_children(SELFMON_OVERHEAD_STORE, visits))
FUNCTIONS(told, visit_children(SELFMON_OVERHEAD_TOLD, visits))
FUNCTIONS(same, visit_same(visits))
FUNCTIONS(deep, REGION(&SITES->around) visit_same(visits))

typedef void visit_all(void);

static NEVER_INLINE void visit_parent(visit_all *visit)
{
	REGION(&SITES->parent)
		visit();
}

void selfmon_overhead_visit(enum selfmon_overhead_shape shape, bool many)
{
	static const struct {
		visit_all *visit[2];
		bool whole; /* with its parent */
	} all[] = {
		[SELFMON_OVERHEAD_APART] = { { few_apart, many_apart }, false },
		[SELFMON_OVERHEAD_SAME] = { { few_same, many_same }, true },
		[SELFMON_OVERHEAD_DEEP] = { { few_deep, many_deep }, true },
		[SELFMON_OVERHEAD_SPAN] = { { few_spans, many_spans }, false },
		[SELFMON_OVERHEAD_STORE] = { { few_stores, many_stores },
					     false },
		[SELFMON_OVERHEAD_TOLD] = { { few_told, many_told }, false },
	};

	if (all[shape].whole)
		all[shape].visit[many]();
	else
		visit_parent(all[shape].visit[many]);
}
