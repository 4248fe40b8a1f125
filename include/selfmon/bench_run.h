/* SPDX-License-Identifier: MIT */
/* Measures one run of all cases in this process, for selfmon_bench.h. */
#ifndef SELFMON_BENCH_RUN_H
#define SELFMON_BENCH_RUN_H

#include <errno.h>
#include <string.h>

#include "bench_stats.h"
#include "clock.h"
#include "counters.h"

SELFMON_C_BEGIN

/* A benchmark case. run() must make `turns` iterations. */
struct selfmon_bench_case {
	const char *name;
	void (*run)(void *context, uint64_t turns);
	void *context;
};

struct selfmon_bench_options {
	size_t size;         /* set by the caller: sizeof of this struct */
	const char *events;  /* as selfmon_counters_open() */
	unsigned int rounds; /* 3 to SELFMON_BENCH_ROUNDS_MAX */
	unsigned int tries;  /* maximum number of attempts for a round */
	uint64_t batch_ns;   /* minimum duration of the smaller batch */
	/* Duration of the warm-up before a case is measured. */
	uint64_t warm_up_ns;
};

#define SELFMON_BENCH_OPTIONS_INIT                                             \
	{                                                                      \
		sizeof(struct selfmon_bench_options),                          \
			"instructions,cycles,branch-misses", 31, 4, 250000,    \
			20000000                                               \
	}

/* Indices of the quantities that every result has. */
#define SELFMON_BENCH_REAL_TIME 0 /* "real-time", in ns */
#define SELFMON_BENCH_CPU_TIME 1  /* "cpu-time" of the thread, in ns */
#define SELFMON_BENCH_FIRST_EVENT 2

struct selfmon_bench_result {
	const char *name;
	uint64_t turns;         /* n, the iterations of the smaller batch */
	unsigned int rounds;    /* number of rounds in all runs */
	/* Number of rounds left out, because all attempts were disturbed. */
	unsigned int dropped;
	unsigned int disturbed; /* number of rounds used although disturbed */
	unsigned int quantities;
	struct selfmon_bench_quantity
		quantity[SELFMON_BENCH_FIRST_EVENT + SELFMON_MAX_COUNTERS];
};

/* ---- measuring ----------------------------------------------------------- */

struct selfmon_impl_bench_batch {
	struct selfmon_delta delta;
	double ns, cpu_ns;
	bool preempted;
};

SELFMON_INLINE void
selfmon_impl_bench_measure(struct selfmon_counters *set,
			   const struct selfmon_bench_case *of, uint64_t turns,
			   struct selfmon_impl_bench_batch *batch)
{
	struct selfmon_thread_usage from, to;
	struct selfmon_snapshot a, b;

	selfmon_thread_usage(&from);
	selfmon_counters_begin(set, &a);
	of->run(of->context, turns);
	selfmon_counters_end(set, &b);
	selfmon_thread_usage(&to);
	selfmon_counters_delta(set, &a, &b, &batch->delta);
	batch->ns = (double)selfmon_clock_ns(selfmon_clock(),
					     batch->delta.ticks);
	batch->cpu_ns = (double)(to.cpu_ns - from.cpu_ns);
	batch->preempted = to.preempted != from.preempted;
}

/*
 * Warms a case up, and returns n, the number of iterations of the smaller
 * batch. n doubles until a batch takes options->batch_ns of wall time. If the
 * thread was preempted in the batch, the batch must take options->batch_ns of
 * CPU time, too; otherwise n would be too small. A case may sleep, so the CPU
 * time is ignored after ten times the warm-up time. The warm-up ends by wall
 * time.
 */
SELFMON_INLINE uint64_t
selfmon_impl_bench_warm(struct selfmon_counters *set,
			const struct selfmon_bench_case *of,
			const struct selfmon_bench_options *options)
{
	struct selfmon_impl_bench_batch batch;
	const double longest = 10 * (double)options->warm_up_ns;
	uint64_t turns = 1;
	double spent = 0;

	do {
		selfmon_impl_bench_measure(set, of, turns, &batch);
		spent += batch.ns;
		if (batch.ns < (double)options->batch_ns ||
		    (batch.preempted && spent < longest &&
		     batch.cpu_ns < (double)options->batch_ns))
			turns *= 2;
		else if (spent >= (double)options->warm_up_ns)
			return turns;
	} while (turns < UINT64_C(1) << 40);
	return turns;
}

/*
 * Adds a sample; a negative one becomes 0. If the verdict is
 * SELFMON_NOT_COUNTED, the quantity loses all its samples.
 */
SELFMON_INLINE void
selfmon_impl_bench_add(struct selfmon_bench_quantity *quantity,
		       unsigned int round, enum selfmon_verdict verdict,
		       double sample)
{
	if (quantity->verdict == SELFMON_NOT_COUNTED)
		return;
	if (verdict == SELFMON_NOT_COUNTED || verdict > quantity->verdict)
		quantity->verdict = verdict;
	if (verdict == SELFMON_NOT_COUNTED) {
		quantity->count = 0;
		return;
	}
	quantity->slot[quantity->count] = (uint16_t)round;
	quantity->sample[quantity->count++] = sample > 0 ? sample : 0;
}

SELFMON_INLINE void
selfmon_impl_bench_add_time(struct selfmon_bench_quantity *quantity,
			    unsigned int round, double sample)
{
	if (sample > 0)
		selfmon_impl_bench_add(quantity, round, SELFMON_EXACT, sample);
}

SELFMON_INLINE void
selfmon_impl_bench_note(struct selfmon_bench_quantity *quantity, double n,
			double one, double two)
{
	if (quantity->batch[0] <= 0 || one < quantity->batch[0])
		quantity->batch[0] = one;
	if (quantity->batch[1] <= 0 || two < quantity->batch[1])
		quantity->batch[1] = two;
	quantity->fastest = (quantity->batch[1] - quantity->batch[0]) / n;
}

/* Adds the slopes between the batches of n and 2n iterations as samples. */
SELFMON_INLINE void
selfmon_impl_bench_slope(const struct selfmon_impl_bench_batch *batch,
			 unsigned int round,
			 struct selfmon_bench_result *result)
{
	const double n = (double)result->turns;
	unsigned int i;

	selfmon_impl_bench_note(&result->quantity[SELFMON_BENCH_REAL_TIME], n,
				batch[0].ns, batch[1].ns);
	selfmon_impl_bench_note(&result->quantity[SELFMON_BENCH_CPU_TIME], n,
				batch[0].cpu_ns, batch[1].cpu_ns);
	selfmon_impl_bench_add_time(&result->quantity[SELFMON_BENCH_REAL_TIME],
				    round, (batch[1].ns - batch[0].ns) / n);
	selfmon_impl_bench_add_time(
		&result->quantity[SELFMON_BENCH_CPU_TIME], round,
		(batch[1].cpu_ns - batch[0].cpu_ns) / n);
	for (i = 0; i + SELFMON_BENCH_FIRST_EVENT < result->quantities; i++) {
		const struct selfmon_value *one = &batch[0].delta.value[i];
		const struct selfmon_value *two = &batch[1].delta.value[i];
		enum selfmon_verdict verdict = one->verdict > two->verdict
						       ? one->verdict
						       : two->verdict;

		if (one->verdict == SELFMON_NOT_COUNTED ||
		    two->verdict == SELFMON_NOT_COUNTED)
			verdict = SELFMON_NOT_COUNTED;
		selfmon_impl_bench_add(
			&result->quantity[i + SELFMON_BENCH_FIRST_EVENT], round,
			verdict,
			((double)two->count - (double)one->count) / n);
	}
}

/*
 * Measures a batch of n and one of 2n iterations; every second round in reverse
 * order. If the thread was preempted, measures both again; makes at most
 * options->tries attempts. Returns true if the thread was preempted in the last
 * attempt, too.
 */
SELFMON_INLINE bool
selfmon_impl_bench_round(struct selfmon_counters *set,
			 const struct selfmon_bench_case *of,
			 const struct selfmon_bench_options *options,
			 unsigned int round,
			 struct selfmon_bench_result *result)
{
	struct selfmon_impl_bench_batch batch[2];
	bool preempted = true;
	unsigned int i, attempt;

	for (attempt = 0; preempted && attempt < options->tries; attempt++) {
		for (i = 0; i < 2; i++) {
			const unsigned int which = (i + round) % 2;

			selfmon_impl_bench_measure(set, of,
						   result->turns << which,
						   &batch[which]);
		}
		preempted = batch[0].preempted || batch[1].preempted;
	}
	selfmon_impl_bench_slope(batch, round, result);
	return preempted;
}

SELFMON_INLINE void
selfmon_impl_bench_drop(struct selfmon_bench_quantity *quantity,
			const bool *disturbed)
{
	unsigned int i, left = 0;

	for (i = 0; i < quantity->count; i++) {
		if (disturbed[quantity->slot[i]])
			continue;
		quantity->slot[left] = quantity->slot[i];
		quantity->sample[left++] = quantity->sample[i];
	}
	quantity->count = left;
}

/*
 * Drops the rounds in which all attempts were disturbed, if at least a quarter
 * of the rounds and at least 3 remain. Otherwise keeps and reports them.
 */
SELFMON_INLINE void
selfmon_impl_bench_settle(struct selfmon_bench_result *result,
			  const bool *disturbed)
{
	unsigned int i, left = 0;

	for (i = 0; i < result->rounds; i++)
		left += !disturbed[i];
	if (left < 3 || left < result->rounds / 4) {
		result->disturbed = result->rounds - left;
		return;
	}
	result->dropped = result->rounds - left;
	for (i = 0; i < result->quantities; i++)
		selfmon_impl_bench_drop(&result->quantity[i], disturbed);
}

/*
 * Fills in the names of the quantities. Names of events are valid as long as
 * the set.
 */
SELFMON_INLINE void
selfmon_impl_bench_start(struct selfmon_counters *set,
			 struct selfmon_bench_result *result, const char *name,
			 unsigned int rounds)
{
	struct selfmon_counter_info info;
	unsigned int i;

	memset(result, 0, sizeof(*result));
	memset(&info, 0, sizeof(info));
	info.size = sizeof(info);
	result->name = name;
	result->rounds = rounds;
	result->quantity[SELFMON_BENCH_REAL_TIME].name = "real-time";
	result->quantity[SELFMON_BENCH_CPU_TIME].name = "cpu-time";
	result->quantities = SELFMON_BENCH_FIRST_EVENT;
	while (result->quantities <
		       SELFMON_BENCH_FIRST_EVENT + SELFMON_MAX_COUNTERS &&
	       selfmon_counters_info(set,
				     result->quantities -
					     SELFMON_BENCH_FIRST_EVENT,
				     &info) == 0)
		result->quantity[result->quantities++].name = info.name;
	for (i = 0; i < result->quantities; i++)
		result->quantity[i].verdict = SELFMON_EXACT;
}

SELFMON_INLINE void
selfmon_impl_bench_rounds(struct selfmon_counters *set,
			  const struct selfmon_bench_case *cases, size_t count,
			  const struct selfmon_bench_options *options,
			  struct selfmon_bench_result *results,
			  bool (*disturbed)[SELFMON_BENCH_ROUNDS_MAX])
{
	unsigned int round;
	size_t i;

	for (round = 0; round < options->rounds; round++)
		for (i = 0; i < count; i++) {
			const size_t k = round % 2 ? count - 1 - i : i;

			disturbed[k][round] = selfmon_impl_bench_round(
				set, &cases[k], options, round, &results[k]);
		}
}

/*
 * Measures one run of all cases in this process. The results are in the order
 * of the cases. The calling thread must have opened the set. The events' names
 * in the results are valid as long as the set. Returns 0, -EINVAL (size, rounds
 * or tries) or -ENOMEM.
 */
SELFMON_INLINE int
selfmon_bench_run(struct selfmon_counters *set,
		  const struct selfmon_bench_case *cases, size_t count,
		  const struct selfmon_bench_options *options,
		  struct selfmon_bench_result *results)
{
	bool (*disturbed)[SELFMON_BENCH_ROUNDS_MAX];
	unsigned int q;
	size_t i;

	if (options->size < sizeof(*options) || options->rounds < 3 ||
	    options->rounds > SELFMON_BENCH_ROUNDS_MAX || options->tries == 0)
		return -EINVAL;
	disturbed = (bool (*)[SELFMON_BENCH_ROUNDS_MAX])calloc(
		count + !count, sizeof(*disturbed));
	if (!disturbed)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		selfmon_impl_bench_start(set, &results[i], cases[i].name,
					 options->rounds);
		results[i].turns =
			selfmon_impl_bench_warm(set, &cases[i], options);
	}
	selfmon_impl_bench_rounds(set, cases, count, options, results,
				  disturbed);
	for (i = 0; i < count; i++) {
		selfmon_impl_bench_settle(&results[i], disturbed[i]);
		for (q = 0; q < results[i].quantities; q++)
			selfmon_bench_summarise(&results[i].quantity[q]);
	}
	free(disturbed);
	return 0;
}

/* Returns the quantity with this name, or NULL. */
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

SELFMON_C_END

#endif
