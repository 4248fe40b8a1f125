/* SPDX-License-Identifier: MIT */
/*
 * Judges decide whether samples are right: they set a row's status and its
 * differences. Samples are their only input, so unit tests can pass wrong
 * samples.
 */
#ifndef SELFMON_TOOLS_SELFTEST_JUDGE_H
#define SELFMON_TOOLS_SELFTEST_JUDGE_H

#include <selfmon/counters.h>

#include "selftest.h"

/* The result of one visit. */
struct selftest_sample {
	uint64_t count;
	enum selfmon_verdict verdict;
	uint32_t flags; /* SELFMON_DELTA_* */
	uint32_t moved;
};

/* Visits of one loop, which should all have the same count. */
struct selftest_counts {
	const char *what;
	uint64_t size;     /* instructions of the loop */
	/* Expected instructions of a visit: the loop and the code around it. */
	uint64_t expected;
	size_t count;
	struct selftest_sample *sample; /* the judge sorts them */
	/* Number of interrupts, faults and context switches. */
	uint64_t causes;
	uint64_t ns;       /* of all visits */
	bool hypervisor;   /* a guest cannot count interrupts of the host */
	/*
	 * Visits change CPUs, so the mode (the most frequent count) is not
	 * checked.
	 */
	bool moving;
};

/*
 * Passes if minimum and mode (the most frequent count) are exact, and
 * disturbances explain all higher counts. Fails if a count is too low, if
 * disturbances do not explain a higher count, or if most short visits have the
 * same excess. Otherwise, if the mode is too high, or if fewer than half of the
 * samples have a value, the result is SELFTEST_BUSY. Returns the number of
 * samples with a value.
 */
size_t selftest_judge_counts(const struct selftest_counts *in,
			     struct selftest_row *row);

/* Minimum and sum over a region's visits; reports have only these. */
struct selftest_sums {
	const char *what;
	uint64_t size, expected, visits, least, sum;
	/* number of visits that took the slow path or read their end again */
	uint64_t retried;
	uint64_t causes, ns;
	bool hypervisor;
};
void selftest_judge_sums(const struct selftest_sums *in,
			 struct selftest_row *row);

/*
 * The minimum count of a loop's visits, and the share of visits that have it.
 */
struct selftest_least {
	uint64_t count;
	double part;
};

/*
 * Judges a loop of `size` instructions and one of 2 * size that are measured in
 * the same way.
 */
void selftest_judge_slope(const char *what, uint64_t size,
			  const struct selftest_least *once,
			  const struct selftest_least *twice,
			  struct selftest_row *row);

/*
 * A counter that was read three times: the middle value must be between the
 * others.
 */
struct selftest_bracket {
	uint64_t before, inside, after;
};
void selftest_judge_brackets(const char *what,
			     const struct selftest_bracket *in, size_t count,
			     struct selftest_row *row);

/* A long run: consecutive reads of a counter, and the work done meanwhile. */
struct selftest_run {
	uint64_t reads, backwards; /* backwards: reads below the previous one */
	uint64_t first_back; /* difference at the first backward read */
	uint64_t work;             /* instructions */
	uint64_t slack;            /* maximum of additional instructions */
	uint64_t counted;
};
void selftest_judge_run(const struct selftest_run *in,
			struct selftest_row *row);

#endif
