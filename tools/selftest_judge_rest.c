/* SPDX-License-Identifier: MIT */
#include "selftest_judge_rest.h"

#include <inttypes.h>
#include <math.h>

#include "selftest_row.h"

void selftest_judge_estimates(const struct selftest_estimate *in, size_t count,
			      struct selftest_row *row)
{
	size_t i;

	for (i = 0; i < count; i++) {
		const double error = (double)in[i].uncertainty;
		const double value = (double)in[i].count;

		if (in[i].verdict == SELFMON_NOT_COUNTED)
			continue;
		if (value - error <= (double)in[i].most &&
		    value + error >= (double)in[i].least)
			continue;
		selftest_differs(row, (double)in[i].least, (double)in[i].most,
				 value, "%s +- %.0f, value %zu of %zu",
				 selfmon_verdict_name(in[i].verdict), error,
				 i + 1, count);
	}
}

void selftest_judge_clock(const struct selftest_clocks *in,
			  struct selftest_row *row)
{
	const double off = in->seen_ns - in->true_ns;
	const double allowed = in->true_ns * in->stated_ppm / 1e6 +
			       in->error_ns;

	if (fabs(off) > allowed)
		selftest_differs(row, in->true_ns - allowed,
				 in->true_ns + allowed, in->seen_ns,
				 "nanoseconds in %.1f s", in->true_ns / 1e9);
}

void selftest_judge_self(const struct selftest_self *in,
			 struct selftest_row *row)
{
	if (!(in->seen >= in->known - in->noise &&
	      in->seen <= in->known + in->extra + in->noise))
		selftest_differs(row, in->known - in->noise,
				 in->known + in->extra + in->noise, in->seen,
				 "%s, instructions of its own a visit",
				 in->what);
}

void selftest_judge_places(const struct selftest_places *in,
			   struct selftest_row *row)
{
	if (in->outer_elsewhere)
		selftest_differs(row, 0, 0, (double)in->outer_elsewhere,
				 "samples of the outer region's code in "
				 "another one or none");
	if (in->inner_elsewhere)
		selftest_differs(row, 0, 0, (double)in->inner_elsewhere,
				 "samples of the inner region's code in "
				 "another one or none");
	if (in->right < in->wanted)
		selftest_busy(row, "%" PRIu64 " samples of %" PRIu64 " in time",
			      in->right, in->wanted);
}

/*
 * The time off the CPU must be at least this part of the nap: a thread leaves
 * its CPU some microseconds after its nap begins.
 */
#define NAP_PART 0.9

void selftest_judge_naps(const struct selftest_naps *in,
			 struct selftest_row *row)
{
	const double least = NAP_PART * (double)in->least_ns;

	if (in->blocked != in->expected)
		selftest_differs(row, (double)in->expected,
				 (double)in->expected, (double)in->blocked,
				 "times blocked in %" PRIu64 " naps", in->naps);
	if ((double)in->blocked_ns < least || in->blocked_ns > in->most_ns)
		selftest_differs(row, least, (double)in->most_ns,
				 (double)in->blocked_ns,
				 "nanoseconds blocked in %" PRIu64 " naps",
				 in->naps);
}

void selftest_judge_perf(double work, double perf, double own, double noise,
			 double start, struct selftest_row *row)
{
	if (fabs(own - work) > noise)
		selftest_differs(row, work - noise, work + noise, own,
				 "the library's slope");
	if (fabs(perf - own) > noise + start)
		selftest_differs(row, own - noise - start, own + noise + start,
				 perf, "perf stat's slope");
}
