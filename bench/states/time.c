/* SPDX-License-Identifier: MIT */
/*
 * Regions that measure only time, regions that also keep their slowest visits,
 * and regions that are switched off.
 */
#include <stdio.h>

#include <selfmon.h>

#include "../bench.h"
#include "candidate.h"

#define CHILDREN 1000
#define FEWER 32
/*
 * Number of visits that are made before regions that keep their slowest visits
 * are measured; see prepare_recorded().
 */
#define SETTLED 5000000
#define KEPT 8 /* number of slowest visits that are kept of a region */

static struct selfmon_region *span_region, *child[CHILDREN];

/* Regions are off here, so visits are not counted. */
static NOINLINE void off(uint64_t n)
{
	for (; n > 0; n--)
		SELFMON_REGION("off")
			selfmon_compiler_fence();
}

static NOINLINE void one(uint64_t n)
{
	candidate_visits += n;
	for (; n > 0; n--)
		SELFMON_REGION("one")
			selfmon_compiler_fence();
}

/* One visit of "around" per call, so that the others are inner visits. */
static NOINLINE void inside(uint64_t n)
{
	candidate_visits++;
	SELFMON_REGION("around")
		one(n);
}

static NOINLINE void nested(uint64_t n)
{
	candidate_visits += 2 * n;
	for (; n > 0; n--)
		SELFMON_REGION("outer")
			SELFMON_REGION("inner")
				selfmon_compiler_fence();
}

static NOINLINE void span(uint64_t n)
{
	struct selfmon_frame frame;

	candidate_visits += n;
	for (; n > 0; n--) {
		selfmon_enter(span_region, &frame);
		selfmon_compiler_fence();
		selfmon_leave(&frame);
	}
}

static NOINLINE void children(uint64_t n, unsigned int count)
{
	unsigned int i;

	candidate_visits += n;
	for (; n > 0; n -= count)
		for (i = 0; i < count; i++)
			SELFMON_REGION_OF(child[i])
				selfmon_compiler_fence();
}

static void fewer_children(uint64_t n)
{
	candidate_visits++;
	SELFMON_REGION("fewer")
		children(n, FEWER);
}

static void all_children(uint64_t n)
{
	candidate_visits++;
	SELFMON_REGION("all")
		children(n, CHILDREN);
}

void prepare_time(void)
{
	char name[16];
	unsigned int i;

	bench_configure(NULL);
	span_region = selfmon_region("span");
	for (i = 0; i < CHILDREN; i++) {
		snprintf(name, sizeof(name), "child %u", i);
		child[i] = selfmon_region(name);
	}
}

void prepare_off(void)
{
	bench_configure(NULL);
	selfmon_enable(false);
}

/*
 * Makes visits so that measured visits are rarely kept, since keeping one takes
 * microseconds. Of n visits of "one", about 8 ln(n / 8) are kept. Of "around",
 * KEPT visits are made that last longer than any measured one, so no measured
 * visit of "around" is kept.
 */
void prepare_recorded(void)
{
	unsigned int i;

	bench_configure_recorded();
	one(SETTLED);
	for (i = 0; i < KEPT; i++)
		inside(SETTLED / KEPT);
}

void prepare_traced(void)
{
	bench_configure_traced();
	one(SETTLED);
}

#define PAIR "timestamp pair"

const struct candidate candidates_time[] = {
	{ "bare timestamp pair", bench_bare_timestamps, 1, 1, NULL, NULL,
	  NULL },
	{ "region pair", one, 1, 1, PAIR, NULL, NULL },
	{ "inner region pair", inside, 1, 1, PAIR, NULL, NULL },
	{ "region pair nested in one function", nested, 1, 2, PAIR, NULL,
	  NULL },
	{ "span pair", span, 1, 1, PAIR, NULL, NULL },
	{ "region pair, 32 children of a place", fewer_children, FEWER, 1, PAIR,
	  NULL, NULL },
	{ "region pair, 1000 children of a place", all_children, CHILDREN, 1,
	  PAIR, NULL, NULL },
	{ NULL, NULL, 0, 0, NULL, NULL, NULL }
};

const struct candidate candidates_off[] = {
	{ "switched off at run time", off, 1, 1, NULL, NULL, NULL },
	{ NULL, NULL, 0, 0, NULL, NULL, NULL }
};

const struct candidate candidates_recorded[] = {
	{ "", bench_bare_timestamps, 1, 1, NULL, NULL, NULL },
	{ "region pair, slowest visits kept", one, 1, 1, PAIR, NULL, NULL },
	{ "inner region pair, slowest visits kept", inside, 1, 1, PAIR, NULL,
	  NULL },
	{ NULL, NULL, 0, 0, NULL, NULL, NULL }
};

const struct candidate candidates_traced[] = {
	{ "", bench_bare_timestamps, 1, 1, NULL, NULL, NULL },
	{ "region pair, traced", one, 1, 1, PAIR, NULL, NULL },
	{ NULL, NULL, 0, 0, NULL, NULL, NULL }
};
