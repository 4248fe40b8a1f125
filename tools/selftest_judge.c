/* SPDX-License-Identifier: MIT */
#include "selftest_judge.h"

#include "selftest_row.h"

#include <inttypes.h>
#include <stdlib.h>

/*
 * Maximum number of instructions that an interrupt, or a repeated snapshot,
 * adds to a visit.
 */
#define AN_INTERRUPT 2
#define A_RETRY 400
/*
 * Limits for interrupts of the host, which a guest cannot count. Host
 * interrupts add at most HOST_LEAST instructions to a visit, and one more for
 * each HOST_INSTRUCTIONS of the visit. This limit also applies without a
 * hypervisor. All visits together have at most HOST_LEAST host interrupts, and
 * one more for each HOST_NS.
 */
#define HOST_INSTRUCTIONS 10000
#define HOST_LEAST 8
#define HOST_NS UINT64_C(20000)
/*
 * With read(2) the library sometimes checks its descriptor, which adds up to
 * this number of instructions.
 */
#define A_LOOK 400
/*
 * If more than this share of the visits has the same excess, the excess is not
 * noise. This rule applies only if the mean visit is shorter than SHORT_NS.
 */
#define ALIKE 0.9
#define SHORT_NS UINT64_C(100000)

static int by_count(const void *a, const void *b)
{
	const struct selftest_sample *const x = a, *const y = b;

	return (x->count > y->count) - (x->count < y->count);
}

static bool has_value(const struct selftest_sample *sample)
{
	return sample->verdict == SELFMON_EXACT ||
	       sample->verdict == SELFMON_SYSCALL;
}

/*
 * Moves the samples that have a value to the front, and sorts them by count.
 * Returns their number.
 */
static size_t take_valued(const struct selftest_counts *in)
{
	size_t i, n = 0;

	for (i = 0; i < in->count; i++)
		if (has_value(&in->sample[i]))
			in->sample[n++] = in->sample[i];
	qsort(in->sample, n, sizeof(*in->sample), by_count);
	return n;
}

/*
 * Returns the most frequent count of sorted samples. *share is the number of
 * samples with this count.
 */
static uint64_t mode_of(const struct selftest_counts *in, size_t n,
			size_t *share)
{
	size_t i, from = 0;
	uint64_t mode = 0;

	*share = 0;
	for (i = 0; i < n; i++) {
		if (in->sample[i].count != in->sample[from].count)
			from = i;
		if (i - from + 1 > *share) {
			*share = i - from + 1;
			mode = in->sample[i].count;
		}
	}
	return mode;
}

static uint64_t host_interrupts(const struct selftest_counts *in)
{
	return in->hypervisor ? HOST_LEAST + in->ns / HOST_NS : 0;
}

/* Returns true if disturbances can explain the excess of one visit. */
static bool one_explained(const struct selftest_counts *in,
			  const struct selftest_sample *sample, uint64_t more)
{
	uint64_t bound = HOST_LEAST + in->size / HOST_INSTRUCTIONS;

	bound += (uint64_t)sample->moved * A_RETRY;
	if (sample->verdict == SELFMON_SYSCALL)
		bound += A_LOOK;
	if (sample->flags & SELFMON_DELTA_DISTURBED)
		bound += AN_INTERRUPT * in->causes;
	return more <= bound;
}

/*
 * Returns true if disturbances explain the excess of each visit, and the sum
 * over exact visits without a retry. Otherwise fails the row.
 */
static bool explained(const struct selftest_counts *in, size_t n,
		      struct selftest_row *row)
{
	uint64_t sum = 0, allowed;
	size_t i;

	for (i = 0; i < n; i++) {
		const struct selftest_sample *sample = &in->sample[i];
		const uint64_t more = sample->count - in->expected;

		if (!one_explained(in, sample, more)) {
			selftest_differs(row, (double)in->expected,
					 (double)in->expected,
					 (double)sample->count,
					 "%s, one visit in %zu", in->what, n);
			return false;
		}
		if (!sample->moved && sample->verdict == SELFMON_EXACT)
			sum += more;
	}
	allowed = AN_INTERRUPT * (in->causes + host_interrupts(in));
	if (sum <= allowed)
		return true;
	selftest_differs(row, 0, (double)allowed, (double)sum,
			 "%s, excess of %zu visits beyond their interrupts",
			 in->what, n);
	return false;
}

size_t selftest_judge_counts(const struct selftest_counts *in,
			     struct selftest_row *row)
{
	const size_t n = take_valued(in);
	const double expected = (double)in->expected;
	uint64_t mode;
	size_t share;

	if (2 * n < in->count || !n) {
		selftest_busy(row, "%s: the events were on the PMU in %zu of "
			      "%zu visits", in->what, n, in->count);
		return n;
	}
	if (in->sample[0].count < in->expected) {
		selftest_differs(row, expected, expected,
				 (double)in->sample[0].count, "%s, minimum",
				 in->what);
		return n;
	}
	if (!explained(in, n, row) || in->moving)
		return n;
	mode = mode_of(in, n, &share);
	if (mode == in->expected)
		return n;
	if ((double)share > ALIKE * (double)n && in->ns / n < SHORT_NS)
		selftest_differs(row, expected, expected, (double)mode,
				 "%s, mode", in->what);
	else
		selftest_busy(row, "%s: interrupts in most visits", in->what);
	return n;
}

void selftest_judge_sums(const struct selftest_sums *in,
			 struct selftest_row *row)
{
	const uint64_t host = in->hypervisor ? HOST_LEAST + in->ns / HOST_NS
					     : 0;
	const uint64_t most = in->visits * in->expected +
			      AN_INTERRUPT * (in->causes + host) +
			      in->retried * A_RETRY;

	if (in->least < in->expected) {
		selftest_differs(row, (double)in->expected,
				 (double)in->expected, (double)in->least,
				 "%s, minimum", in->what);
	} else if (in->sum > most) {
		selftest_differs(row,
				 (double)(in->visits * in->expected),
				 (double)most, (double)in->sum,
				 "%s, sum of %" PRIu64 " visits", in->what,
				 in->visits);
	} else if (in->least > in->expected) {
		selftest_busy(row, "%s: interrupts in all visits", in->what);
	}
}

/*
 * If more than this share of visits has the minimum, no interrupt is included
 * in the minimum: interrupts add different numbers of instructions.
 */
#define UNDISTURBED 0.1

void selftest_judge_slope(const char *what, uint64_t size,
			  const struct selftest_least *once,
			  const struct selftest_least *twice,
			  struct selftest_row *row)
{
	const int64_t off = (int64_t)(twice->count - once->count - size);
	const int64_t noise = (int64_t)(HOST_LEAST + size / HOST_INSTRUCTIONS);
	const bool sure = once->part > UNDISTURBED &&
			  twice->part > UNDISTURBED;

	if (!off)
		return;
	if (!sure && off <= noise && off >= -noise)
		selftest_busy(row, "%s, %" PRIu64 " instructions: interrupts "
			      "in most visits", what, size);
	else
		selftest_differs(row, (double)size, (double)size,
				 (double)((int64_t)size + off),
				 "%s, 2N - N", what);
}

void selftest_judge_brackets(const char *what,
			     const struct selftest_bracket *in, size_t count,
			     struct selftest_row *row)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (in[i].inside < in[i].before || in[i].inside > in[i].after)
			selftest_differs(row, (double)in[i].before,
					 (double)in[i].after,
					 (double)in[i].inside, "%s, read %zu",
					 what, i + 1);
}

void selftest_judge_run(const struct selftest_run *in,
			struct selftest_row *row)
{
	if (in->backwards)
		selftest_differs(row, 0, 0, -(double)in->first_back,
				 "read below the one before, %" PRIu64
				 " of %" PRIu64, in->backwards, in->reads);
	if (in->counted < in->work || in->counted > in->work + in->slack)
		selftest_differs(row, (double)in->work,
				 (double)(in->work + in->slack),
				 (double)in->counted, "instructions in all");
}
