/* SPDX-License-Identifier: MIT */
/*
 * Computes the details of rows: histograms, units, and the times enabled and
 * off the PMU of scaled values. Histograms are in ns, since a merged report may
 * have several clocks.
 */
#include "report/detail.h"

#include <errno.h>
#include <stdlib.h>

#include "report/bucket.h"
#include "report/gather.h"
#include "report/model.h"
#include "report/units.h"

static size_t buckets_of(const struct selfmon_stats *stats)
{
	unsigned int b;
	size_t count = 0;

	for (b = 0; b < SELFMON_BUCKETS; b++)
		count += selfmon_stats_bucket(stats, b) > 0;
	return count;
}

static int take_buckets(struct selfmon_row_detail *detail,
			const struct selfmon_stats *stats, double ns_per_tick)
{
	struct selfmon_row_bucket *to;
	unsigned int b;

	detail->bucket = calloc(buckets_of(stats) + 1, sizeof(*detail->bucket));
	if (!detail->bucket)
		return -ENOMEM;
	for (b = 0; b < SELFMON_BUCKETS; b++) {
		const uint64_t visits = selfmon_stats_bucket(stats, b);

		if (!visits)
			continue;
		to = &detail->bucket[detail->buckets++];
		to->ns = ns_per_tick *
			 selfmon_bucket_middle(b, stats->ticks.max);
		to->visits = visits;
	}
	return 0;
}

int selfmon_report_detail(struct selfmon_report *report,
			  const struct selfmon_gather *gather,
			  const struct selfmon_clock *clock)
{
	const double ns_per_tick = 1e9 / (double)clock->hz;
	size_t i, k;

	report->detail = calloc(report->rows, sizeof(*report->detail));
	if (!report->detail)
		return -ENOMEM;
	for (i = 0; i < report->rows; i++) {
		const struct selfmon_stats *stats = &gather->row[i].stats;
		struct selfmon_row_detail *detail = &report->detail[i];

		detail->recorded = (uint32_t)i;
		if (take_buckets(detail, stats, ns_per_tick))
			return -ENOMEM;
		for (k = 0; k < report->columns; k++) {
			if (report->row[i].counter[k].verdict != SELFMON_SCALED)
				continue;
			detail->enabled_ns[k] = stats->scaled_enabled_ns;
			detail->off_ns[k] = stats->scaled_off_ns;
		}
	}
	return selfmon_report_units(report, gather);
}
