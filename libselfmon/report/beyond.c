/* SPDX-License-Identifier: MIT */
/*
 * Sums that no number of a report holds: of thousands of threads for months.
 * They are not told. The bound is that of exclusive values, which have a sign.
 */
#include <math.h>
#include <stdio.h>

#include "report/gather.h"
#include "report/model.h"

bool selfmon_report_beyond(const struct selfmon_gathered *row, int column,
			   const struct selfmon_clock *clock)
{
	const struct selfmon_stats *const stats = &row->stats;
	const uint64_t sum = column < 0 ? stats->ticks.sum
					: stats->counter[column].sum;
	const double unit = column < 0 ? 1e9 / (double)clock->hz : 1;
	const double measured = (double)selfmon_stats_visits(stats);
	const double skipped = (double)stats->rare[SELFMON_RARE_SKIPPED];

	if (measured <= 0)
		return false;
	if (column >= 0 && sum && stats->scaled_enabled_ns == UINT64_MAX)
		return true;
	return sum == UINT64_MAX ||
	       unit * (double)sum * (1 + skipped / measured) >=
		       SELFMON_WHOLE_MAX;
}

static size_t count_of(const struct selfmon_report *report,
		       const struct selfmon_gathered *row,
		       const struct selfmon_clock *clock)
{
	size_t count = 0;
	int column;

	for (column = -1; column < (int)report->columns; column++)
		count += selfmon_report_beyond(row, column, clock);
	return count;
}

/* A row's own is none without what lies below it. */
void selfmon_report_tell_beyond(struct selfmon_report *report,
				const struct selfmon_gather *gather,
				const struct selfmon_clock *clock)
{
	size_t values = 0, count, i;

	for (i = 0; i < report->rows; i++) {
		const struct selfmon_gathered *row = &gather->row[i];

		count = count_of(report, row, clock);
		values += count;
		if (count && row->parent >= 0)
			report->row[row->parent].exclusive_valid = false;
		if (row->parent < 0 && selfmon_report_beyond(row, -1, clock))
			report->total_ns = (double)NAN;
	}
	if (values && report->notes < SELFMON_NOTES_MAX)
		snprintf(report->note[report->notes++], SELFMON_MESSAGE_SIZE,
			 "%zu sum(s) over all visits and threads are more than a "
			 "number can hold (2^63), and are not told", values);
}
