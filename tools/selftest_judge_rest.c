/* SPDX-License-Identifier: MIT */
/* The judges of estimates, clocks and overhead; see selftest_judge.h. */
#include <inttypes.h>
#include <math.h>

#include "selftest_judge.h"

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
