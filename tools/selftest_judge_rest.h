/* SPDX-License-Identifier: MIT */
/*
 * The judges of estimates, clocks, overhead, samples and naps; see
 * selftest_judge.h.
 */
#ifndef SELFMON_TOOLS_SELFTEST_JUDGE_REST_H
#define SELFMON_TOOLS_SELFTEST_JUDGE_REST_H

#include "selftest_judge.h"

/* An estimated value with its uncertainty, and the range of the true value. */
struct selftest_estimate {
	uint64_t count, uncertainty;
	enum selfmon_verdict verdict;
	uint64_t least, most;
};
void selftest_judge_estimates(const struct selftest_estimate *in, size_t count,
			      struct selftest_row *row);

/*
 * An interval measured by the library's clock (seen) and by the kernel's
 * (true).
 */
struct selftest_clocks {
	double seen_ns, true_ns;
	double error_ns;   /* uncertainty of the readings */
	double stated_ppm;
};
void selftest_judge_clock(const struct selftest_clocks *in,
			  struct selftest_row *row);

/* Instructions per visit in a region's self value, and the known number. */
struct selftest_self {
	const char *what;
	double known, extra; /* extra: instructions that a compiler may add */
	double seen, noise;
};
void selftest_judge_self(const struct selftest_self *in,
			 struct selftest_row *row);

/*
 * Numbers of samples by the code in which they were taken. A sample is right if
 * it is in the region of its code. Otherwise it is elsewhere: in another region
 * or in none.
 */
struct selftest_places {
	uint64_t wanted;
	uint64_t right, outer_elsewhere, inner_elsewhere;
};
void selftest_judge_places(const struct selftest_places *in,
			   struct selftest_row *row);

/*
 * A region that naps: values of the report and of getrusage(2), and limits of
 * the time.
 */
struct selftest_naps {
	uint64_t naps;
	uint64_t blocked, expected;
	uint64_t blocked_ns, least_ns, most_ns;
};
void selftest_judge_naps(const struct selftest_naps *in,
			 struct selftest_row *row);

/*
 * Judges the slopes of perf stat and of the library (own). A slope is the count
 * of a loop with 2N iterations minus the count with N; work is the true slope.
 * noise is the number of instructions that interrupts may add. start is the
 * variation of the number of instructions in which a program starts.
 */
void selftest_judge_perf(double work, double perf, double own, double noise,
			 double start, struct selftest_row *row);

#endif
