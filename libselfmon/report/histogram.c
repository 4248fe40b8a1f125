/* SPDX-License-Identifier: MIT */
/*
 * The histogram of a row, with the bounds of its buckets. A report stores only
 * the middle of each bucket, in ns. The bucket is found again from its middle
 * and the clock's rate.
 */
#include <errno.h>

#include "report/bucket.h"
#include "report/model.h"
#include "store/state.h"

/*
 * A report merged from processes with different clocks has no rate. Its buckets
 * are treated as those of a clock with 1 GHz.
 */
static double ns_per_tick_of(const struct selfmon_report *report)
{
	return report->clock_hz ? 1e9 / (double)report->clock_hz : 1;
}

static unsigned int bucket_at(double middle_ns, double ns_per_tick)
{
	const double ticks = middle_ns / ns_per_tick + 0.5;

	if (!(ticks > 0))
		return 0;
	return ticks < (double)SELFMON_TICKS_LAST
		       ? selfmon_bucket_of((uint64_t)ticks)
		       : SELFMON_BUCKETS - 1;
}

static struct selfmon_bucket bounds_of(const struct selfmon_row *row,
				       unsigned int b, double ns_per_tick)
{
	struct selfmon_bucket bucket = {
		.low_ns = ns_per_tick * (double)selfmon_gather_low(b),
		.high_ns = (double)row->time.max,
	};

	if (b < SELFMON_BUCKETS - 1)
		bucket.high_ns =
			ns_per_tick * (double)selfmon_gather_low(b + 1);
	return bucket;
}

int selfmon_row_histogram(const struct selfmon_report *report, size_t row,
			  struct selfmon_bucket *bucket, size_t size)
{
	const double ns_per_tick = ns_per_tick_of(report);
	const struct selfmon_row_detail *detail;
	unsigned int b, last = SELFMON_BUCKETS;
	size_t count = 0, i;

	if (row >= report->rows)
		return -ENOENT;
	detail = report->detail ? &report->detail[row] : NULL;
	for (i = 0; detail && i < detail->buckets; i++) {
		b = bucket_at(detail->bucket[i].ns, ns_per_tick);
		if (b != last && count++ < size)
			bucket[count - 1] = bounds_of(&report->row[row], b,
						      ns_per_tick);
		if (count <= size)
			bucket[count - 1].visits += detail->bucket[i].visits;
		last = b;
	}
	return (int)count;
}
