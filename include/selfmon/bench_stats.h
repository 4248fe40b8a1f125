/* SPDX-License-Identifier: MIT */
/*
 * Samples of a benchmark, and statistics of them: medians and bootstrapped
 * confidence intervals.
 */
#ifndef SELFMON_BENCH_STATS_H
#define SELFMON_BENCH_STATS_H

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counters.h"

SELFMON_C_BEGIN

#define SELFMON_BENCH_ROUNDS_MAX 101 /* per run */
#define SELFMON_BENCH_RUNS_MAX 15
#define SELFMON_BENCH_SAMPLES_MAX 505 /* total over all runs */
#define SELFMON_BENCH_DRAWS 1000

/*
 * The samples of one quantity, per iteration. Sample i was taken in round
 * slot[i] % SELFMON_BENCH_ROUNDS_MAX of run slot[i] / SELFMON_BENCH_ROUNDS_MAX.
 * Slots are in ascending order. If the verdict is SELFMON_NOT_COUNTED, there
 * are no samples and all numbers in this struct are invalid.
 */
struct selfmon_bench_quantity {
	const char *name;
	enum selfmon_verdict verdict; /* the worst verdict of all batches */
	unsigned int count;
	double sample[SELFMON_BENCH_SAMPLES_MAX];
	uint16_t slot[SELFMON_BENCH_SAMPLES_MAX];
	/*
	 * Only for times: duration of the fastest batch of n and of 2n
	 * iterations in this run; 0 if there is none.
	 */
	double batch[2];
	/*
	 * Only for times: the slope between the two fastest batches of a run,
	 * the smallest of all runs; 0 if there is none.
	 */
	double fastest;
	double median, low, high, minimum;
};

/* An estimate and its 95 % confidence interval. */
struct selfmon_bench_interval {
	double value, low, high;
};

SELFMON_INLINE int selfmon_impl_bench_ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Returns the median. Sorts v. */
SELFMON_INLINE double selfmon_impl_bench_median(double *v, unsigned int count)
{
	qsort(v, count, sizeof(*v), selfmon_impl_bench_ascending);
	return count % 2 ? v[count / 2]
			 : (v[count / 2 - 1] + v[count / 2]) / 2;
}

/*
 * Sets first[r] to the index of the first sample of the r-th run that has
 * samples, and first[runs] to the number of samples. Returns runs, the number
 * of such runs.
 */
SELFMON_INLINE unsigned int
selfmon_impl_bench_runs(const struct selfmon_bench_quantity *of,
			unsigned int *first)
{
	unsigned int runs = 0, i;

	for (i = 0; i < of->count; i++)
		if (i == 0 || of->slot[i] / SELFMON_BENCH_ROUNDS_MAX !=
				      of->slot[i - 1] /
					      SELFMON_BENCH_ROUNDS_MAX)
			first[runs++] = i;
	first[runs] = of->count;
	return runs;
}

/*
 * Returns a random number below `below`: xorshift64 (Marsaglia 2003). The
 * caller's seed is fixed, so the same samples give the same interval.
 */
SELFMON_INLINE unsigned int selfmon_impl_bench_random(uint64_t *state,
						      unsigned int below)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (unsigned int)((*state >> 32) % below);
}

/*
 * Returns the median of the medians of the runs. If state is not NULL, computes
 * a bootstrap replicate instead: draws runs with replacement, and then rounds
 * within each drawn run. Rounds of different runs are not mixed, since samples
 * of the same run depend on each other.
 */
SELFMON_INLINE double
selfmon_impl_bench_estimate(const struct selfmon_bench_quantity *of,
			    uint64_t *state)
{
	unsigned int first[SELFMON_BENCH_RUNS_MAX + 1], i, k;
	const unsigned int runs = selfmon_impl_bench_runs(of, first);
	double drawn[SELFMON_BENCH_ROUNDS_MAX], median[SELFMON_BENCH_RUNS_MAX];

	for (i = 0; i < runs; i++) {
		const unsigned int run =
			state ? selfmon_impl_bench_random(state, runs) : i;
		const unsigned int rounds = first[run + 1] - first[run];

		for (k = 0; k < rounds; k++)
			drawn[k] = of->sample[first[run] +
					      (state ? selfmon_impl_bench_random(
							       state, rounds)
						     : k)];
		median[i] = selfmon_impl_bench_median(drawn, rounds);
	}
	return selfmon_impl_bench_median(median, runs);
}

/* Returns the ratio. 0 / 0 is 1; any other number / 0 is infinite. */
SELFMON_INLINE double selfmon_impl_bench_over(double now, double before)
{
	if (before > 0)
		return now / before;
	return now > 0 ? HUGE_VAL : 1;
}

/*
 * Computes the bootstrapped interval of one quantity, or of the ratio now /
 * before. Both must have samples.
 */
SELFMON_INLINE void
selfmon_impl_bench_bootstrap(const struct selfmon_bench_quantity *now,
			     const struct selfmon_bench_quantity *before,
			     struct selfmon_bench_interval *to)
{
	const unsigned int cut = SELFMON_BENCH_DRAWS / 40;
	uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
	double drawn[SELFMON_BENCH_DRAWS];
	unsigned int i;

	for (i = 0; i < SELFMON_BENCH_DRAWS; i++) {
		drawn[i] = selfmon_impl_bench_estimate(now, &state);
		if (before)
			drawn[i] = selfmon_impl_bench_over(
				drawn[i],
				selfmon_impl_bench_estimate(before, &state));
	}
	selfmon_impl_bench_median(drawn, SELFMON_BENCH_DRAWS);
	to->low = drawn[cut];
	to->high = drawn[SELFMON_BENCH_DRAWS - 1 - cut];
	to->value = selfmon_impl_bench_estimate(now, NULL);
	if (before)
		to->value = selfmon_impl_bench_over(
			to->value, selfmon_impl_bench_estimate(before, NULL));
}

/*
 * Computes median, low, high and minimum from the samples; all are 0 if there
 * are none. The minimum of a time is the slope between its fastest batches, if
 * known: a single sample is too small if its batch of n iterations was
 * disturbed.
 */
SELFMON_INLINE void
selfmon_bench_summarise(struct selfmon_bench_quantity *quantity)
{
	struct selfmon_bench_interval interval = { 0, 0, 0 };
	unsigned int i;

	quantity->minimum = quantity->count ? quantity->sample[0] : 0;
	for (i = 1; i < quantity->count; i++)
		if (quantity->sample[i] < quantity->minimum)
			quantity->minimum = quantity->sample[i];
	if (quantity->count > 0 && quantity->fastest > 0)
		quantity->minimum = quantity->fastest;
	if (quantity->count > 0)
		selfmon_impl_bench_bootstrap(quantity, NULL, &interval);
	quantity->median = interval.value;
	quantity->low = interval.low;
	quantity->high = interval.high;
}

/*
 * Sets *ratio to the ratios b / a of all rounds that both have, so that changes
 * of the machine's speed cancel. Returns -ENODATA if there is no such round, or
 * if a sample of a is not above 0.
 */
SELFMON_INLINE int
selfmon_impl_bench_divide(const struct selfmon_bench_quantity *a,
			  const struct selfmon_bench_quantity *b,
			  struct selfmon_bench_quantity *ratio)
{
	unsigned int i = 0, k = 0;

	memset(ratio, 0, sizeof(*ratio));
	ratio->name = b->name;
	ratio->verdict = a->verdict > b->verdict ? a->verdict : b->verdict;
	while (i < a->count && k < b->count) {
		if (a->slot[i] != b->slot[k]) {
			if (a->slot[i] < b->slot[k])
				i++;
			else
				k++;
			continue;
		}
		if (a->sample[i] <= 0)
			return -ENODATA;
		ratio->slot[ratio->count] = a->slot[i];
		ratio->sample[ratio->count++] = b->sample[k++] / a->sample[i++];
	}
	return ratio->count ? 0 : -ENODATA;
}

/*
 * Computes how many times longer b takes than a, round by round, so that
 * changes of the machine's speed cancel. Both must be measured in the same
 * rounds. Returns 0, or -ENODATA if no round has both, or if a sample of a is
 * not above 0.
 */
SELFMON_INLINE int
selfmon_bench_compare(const struct selfmon_bench_quantity *a,
		      const struct selfmon_bench_quantity *b,
		      struct selfmon_bench_quantity *ratio)
{
	const int ret = selfmon_impl_bench_divide(a, b, ratio);

	if (ret == 0)
		selfmon_bench_summarise(ratio);
	return ret;
}

SELFMON_C_END

#endif
