/* SPDX-License-Identifier: MIT */
/* Switches between two fibers that measure only time. */
#include <selfmon.h>

#include "../bench.h"
#include "candidate.h"

/* Number of visits open in each fiber, in addition to the fiber's own visit. */
#define FEW 1
#define MANY 8

static struct selfmon_fiber *with_few[2], *with_many[2];

/*
 * Switches between fibers without stacks, so only the library's part is
 * measured.
 */
static NOINLINE void switches(struct selfmon_fiber *const fiber[2], uint64_t n)
{
	for (; n > 0; n--)
		selfmon_fiber_switch(fiber[n & 1]);
	selfmon_fiber_switch(NULL);
}

static void switches_with_few(uint64_t n)
{
	switches(with_few, n);
}

static void switches_with_many(uint64_t n)
{
	switches(with_many, n);
}

/* The visits stay open, so no report counts them. */
static void make_fibers(struct selfmon_fiber *fiber[2], int open)
{
	static struct selfmon_frame frame[2 * (FEW + MANY)];
	static struct selfmon_frame *next = frame;
	struct selfmon_region *const region = selfmon_region("inside");
	int i, k;

	for (i = 0; i < 2; i++) {
		fiber[i] = selfmon_fiber_create("fiber");
		selfmon_fiber_switch(fiber[i]);
		for (k = 0; k < open; k++)
			selfmon_enter(region, next++);
	}
	selfmon_fiber_switch(NULL);
}

void prepare_fibers(void)
{
	bench_configure(NULL);
	make_fibers(with_few, FEW);
	make_fibers(with_many, MANY);
}

#define PAIR "timestamp pair"

const struct candidate candidates_fibers[] = {
	{ "", bench_bare_timestamps, 1, 1, NULL, NULL, NULL },
	{ "switch of fibers, 1 visit open in each", switches_with_few, 1, 1,
	  PAIR, NULL, NULL },
	{ "switch of fibers, 8 visits open in each", switches_with_many, 1, 1,
	  PAIR, NULL, NULL },
	{ NULL, NULL, 0, 0, NULL, NULL, NULL }
};
