/* SPDX-License-Identifier: MIT */
/*
 * A small benchmark harness over counter sets, all of it in this header.
 *
 *	static void copy(void *context, uint64_t turns)
 *	{
 *		for (uint64_t i = 0; i < turns; i++)
 *			...
 *	}
 *	int main(int argc, char **argv)
 *	{
 *		static const struct selfmon_bench_case cases[] = {
 *			{ "copy", copy, NULL }, { "move", move, NULL },
 *		};
 *		return selfmon_bench_main(argc, argv, cases, 2);
 *	}
 *
 * What a turn costs is the slope between a batch of n turns and one of 2n:
 * what a batch costs besides its turns cancels, the harness's own cost, the
 * set-up of a call and its first page faults included. n is chosen so that a
 * batch takes a while. Cases take turns within each round, so that a machine
 * that becomes slower does so for all of them. Of the rounds the median is
 * told, and the interval that 95 of 100 medians of rounds drawn anew lie in.
 *
 * Times differ from run to run; instructions hardly do. --gate=PERCENT judges
 * by those alone: a change that makes a turn take more of them fails.
 */
#ifndef SELFMON_BENCH_H
#define SELFMON_BENCH_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "selfmon/clock.h"
#include "selfmon/counters.h"
#include "selfmon/doctor.h"
#include "selfmon/version.h"

SELFMON_C_BEGIN

#define SELFMON_BENCH_ROUNDS_MAX 101
#define SELFMON_BENCH_DRAWS 1000
#define SELFMON_BENCH_SKIPPED 77 /* as automake and CTest's users have it */

/* What is measured: the function runs that many turns of it. */
struct selfmon_bench_case {
	const char *name;
	void (*run)(void *context, uint64_t turns);
	void *context;
};

struct selfmon_bench_options {
	size_t size;         /* sizeof of this struct, by the caller */
	const char *events;  /* as selfmon_counters_open() */
	unsigned int rounds; /* 3 to SELFMON_BENCH_ROUNDS_MAX */
	uint64_t batch_ns;   /* the smaller batch takes at least this long */
	uint64_t warm_up_ns; /* a case runs for this long before it counts */
};

#define SELFMON_BENCH_OPTIONS_INIT                                             \
	{                                                                      \
		sizeof(struct selfmon_bench_options),                          \
			"instructions,cycles,branch-misses", 31, 1000000,      \
			20000000                                               \
	}

/* One quantity a turn. Without a verdict no number here is one. */
struct selfmon_bench_quantity {
	const char *name;
	enum selfmon_verdict verdict; /* the worst of all batches */
	unsigned int count;
	double sample[SELFMON_BENCH_ROUNDS_MAX]; /* by round */
	double median, low, high;
};

struct selfmon_bench_result {
	const char *name;
	uint64_t turns;          /* n */
	unsigned int quantities; /* quantity[0] is the time in ns */
	struct selfmon_bench_quantity quantity[1 + SELFMON_MAX_COUNTERS];
};

/* ---- statistics ---------------------------------------------------------- */

SELFMON_INLINE int selfmon_impl_bench_ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts them. */
SELFMON_INLINE double selfmon_impl_bench_median(double *v, unsigned int count)
{
	qsort(v, count, sizeof(*v), selfmon_impl_bench_ascending);
	return count % 2 ? v[count / 2]
			 : (v[count / 2 - 1] + v[count / 2]) / 2;
}

/* Sets median, low and high. The same samples give the same interval. */
SELFMON_INLINE void
selfmon_bench_summarise(struct selfmon_bench_quantity *quantity)
{
	double median[SELFMON_BENCH_DRAWS], drawn[SELFMON_BENCH_ROUNDS_MAX];
	const unsigned int count = quantity->count;
	uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
	unsigned int i, k;

	quantity->median = quantity->low = quantity->high = 0;
	if (count == 0)
		return;
	for (i = 0; i < SELFMON_BENCH_DRAWS; i++) {
		for (k = 0; k < count; k++) {
			state ^= state << 13; /* xorshift64, Marsaglia 2003 */
			state ^= state >> 7;
			state ^= state << 17;
			drawn[k] = quantity->sample[(state >> 32) % count];
		}
		median[i] = selfmon_impl_bench_median(drawn, count);
	}
	selfmon_impl_bench_median(median, SELFMON_BENCH_DRAWS);
	quantity->low = median[SELFMON_BENCH_DRAWS / 40];
	quantity->high =
		median[SELFMON_BENCH_DRAWS - 1 - SELFMON_BENCH_DRAWS / 40];
	memcpy(drawn, quantity->sample, count * sizeof(drawn[0]));
	quantity->median = selfmon_impl_bench_median(drawn, count);
}

/* ---- measuring ----------------------------------------------------------- */

SELFMON_INLINE void
selfmon_impl_bench_batch(struct selfmon_counters *set,
			 const struct selfmon_bench_case *of, uint64_t turns,
			 struct selfmon_delta *delta)
{
	struct selfmon_snapshot a, b;

	selfmon_counters_begin(set, &a);
	of->run(of->context, turns);
	selfmon_counters_end(set, &b);
	selfmon_counters_delta(set, &a, &b, delta);
}

SELFMON_INLINE uint64_t
selfmon_impl_bench_ns(const struct selfmon_delta *delta)
{
	return selfmon_clock_ns(selfmon_clock(), delta->ticks);
}

/* Runs it warm; how many turns take long enough. */
SELFMON_INLINE uint64_t
selfmon_impl_bench_warm(struct selfmon_counters *set,
			const struct selfmon_bench_case *of,
			const struct selfmon_bench_options *options)
{
	struct selfmon_delta delta;
	uint64_t turns = 1, spent = 0, ns;

	do {
		selfmon_impl_bench_batch(set, of, turns, &delta);
		ns = selfmon_impl_bench_ns(&delta);
		spent += ns;
		if (ns < options->batch_ns && turns < UINT64_C(1) << 40)
			turns *= 2;
		else if (spent >= options->warm_up_ns)
			return turns;
	} while (turns < UINT64_C(1) << 40);
	return turns;
}

SELFMON_INLINE void
selfmon_impl_bench_add(struct selfmon_bench_quantity *quantity,
		       unsigned int round, enum selfmon_verdict verdict,
		       double sample)
{
	if (round > 0 && quantity->verdict == SELFMON_NOT_COUNTED)
		return;
	quantity->count = round + 1;
	quantity->sample[round] = sample;
	if (verdict == SELFMON_NOT_COUNTED || verdict > quantity->verdict)
		quantity->verdict = verdict;
	if (verdict == SELFMON_NOT_COUNTED)
		quantity->count = 0;
}

/* A batch of n and one of 2n, the longer one first in every other round. */
SELFMON_INLINE void
selfmon_impl_bench_round(struct selfmon_counters *set,
			 const struct selfmon_bench_case *of,
			 unsigned int round,
			 struct selfmon_bench_result *result)
{
	const double n = (double)result->turns;
	struct selfmon_delta delta[2];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		const unsigned int which = (i + round) % 2;

		selfmon_impl_bench_batch(set, of, result->turns << which,
					 &delta[which]);
	}
	selfmon_impl_bench_add(&result->quantity[0], round, SELFMON_EXACT,
			       ((double)selfmon_impl_bench_ns(&delta[1]) -
				(double)selfmon_impl_bench_ns(&delta[0])) / n);
	for (i = 0; i + 1 < result->quantities; i++) {
		const struct selfmon_value *one = &delta[0].value[i];
		const struct selfmon_value *two = &delta[1].value[i];
		enum selfmon_verdict verdict = one->verdict > two->verdict
						       ? one->verdict
						       : two->verdict;

		if (one->verdict == SELFMON_NOT_COUNTED ||
		    two->verdict == SELFMON_NOT_COUNTED)
			verdict = SELFMON_NOT_COUNTED;
		selfmon_impl_bench_add(
			&result->quantity[i + 1], round, verdict,
			((double)two->count - (double)one->count) / n);
	}
}

/* Names live as long as the set. */
SELFMON_INLINE void
selfmon_impl_bench_start(struct selfmon_counters *set,
			 struct selfmon_bench_result *result, const char *name)
{
	struct selfmon_counter_info info;

	memset(result, 0, sizeof(*result));
	memset(&info, 0, sizeof(info));
	info.size = sizeof(info);
	result->name = name;
	result->quantities = 1;
	result->quantity[0].name = "ns";
	while (selfmon_counters_info(set, result->quantities - 1, &info) == 0)
		result->quantity[result->quantities++].name = info.name;
}

/*
 * Measures all cases, results in their order. Names of quantities in them live
 * as long as the set, which the calling thread has to have opened.
 * 0, or -EINVAL (a size, or rounds).
 */
SELFMON_INLINE int
selfmon_bench_run(struct selfmon_counters *set,
		  const struct selfmon_bench_case *cases, size_t count,
		  const struct selfmon_bench_options *options,
		  struct selfmon_bench_result *results)
{
	unsigned int round, q;
	size_t i;

	if (options->size < sizeof(*options) || options->rounds < 3 ||
	    options->rounds > SELFMON_BENCH_ROUNDS_MAX)
		return -EINVAL;
	for (i = 0; i < count; i++) {
		selfmon_impl_bench_start(set, &results[i], cases[i].name);
		results[i].turns =
			selfmon_impl_bench_warm(set, &cases[i], options);
	}
	for (round = 0; round < options->rounds; round++)
		for (i = 0; i < count; i++) {
			const size_t k = round % 2 ? count - 1 - i : i;

			selfmon_impl_bench_round(set, &cases[k], round,
						 &results[k]);
		}
	for (i = 0; i < count; i++)
		for (q = 0; q < results[i].quantities; q++)
			selfmon_bench_summarise(&results[i].quantity[q]);
	return 0;
}

/* NULL if there is none of that name. */
SELFMON_INLINE const struct selfmon_bench_quantity *
selfmon_bench_quantity(const struct selfmon_bench_result *result,
		       const char *name)
{
	unsigned int i;

	for (i = 0; i < result->quantities; i++)
		if (!strcmp(result->quantity[i].name, name))
			return &result->quantity[i];
	return NULL;
}

/*
 * How many times as much b takes as a, round by round: what the machine did
 * to both cancels. 0, or -ENODATA where one of them has no number above 0.
 */
SELFMON_INLINE int
selfmon_bench_compare(const struct selfmon_bench_quantity *a,
		      const struct selfmon_bench_quantity *b,
		      struct selfmon_bench_quantity *ratio)
{
	unsigned int i;

	memset(ratio, 0, sizeof(*ratio));
	ratio->name = b->name;
	if (a->count == 0 || a->count != b->count)
		return -ENODATA;
	for (i = 0; i < a->count; i++) {
		if (a->sample[i] <= 0)
			return -ENODATA;
		ratio->sample[i] = b->sample[i] / a->sample[i];
	}
	ratio->count = a->count;
	ratio->verdict = a->verdict > b->verdict ? a->verdict : b->verdict;
	selfmon_bench_summarise(ratio);
	return 0;
}

SELFMON_C_END

#include "selfmon/bench_output.h"

#endif
