/* SPDX-License-Identifier: MIT */
/*
 * The report of an interval: the visits between two reports of one process.
 * Subtracts the recorded sums in ticks and events, and then computes all other
 * values as for any report. Nanoseconds cannot be subtracted, because each
 * report used its own overhead and clock rate.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/async_rows.h"
#include "report/bucket.h"
#include "report/columns.h"
#include "report/gather_samples.h"
#include "report/gather_units.h"
#include "report/live_rows.h"
#include "report/net_values.h"
#include "report/recorded.h"
#include "report/slow_visits.h"
#include "store/statistics.h"

/*
 * Subtracts two sums. UINT64_MAX means unknown and stays. The earlier sum may
 * be larger if the earlier report repaired a visit that was being recorded.
 */
static uint64_t since(uint64_t later, uint64_t earlier)
{
	if (later == UINT64_MAX)
		return later;
	return later > earlier ? later - earlier : 0;
}

/* Subtracts each 64-bit word between the byte offsets `offset` and `end`. */
static void subtract_words(void *to, const void *from, size_t offset,
			   size_t end)
{
	uint64_t *const word = to;
	const uint64_t *const earlier = from;
	size_t i;

	for (i = offset / sizeof(*word); i < end / sizeof(*word); i++)
		word[i] = since(word[i], earlier[i]);
}

/*
 * Subtracts a sum. min and max keep their values since the start of the
 * process. The minimum and maximum of the interval lie between them. If the
 * interval has one visit, both are its value.
 */
static void subtract_sums(struct selfmon_sums *to,
			  const struct selfmon_sums *from, uint64_t visits)
{
	to->sum = since(to->sum, from->sum);
	if (visits == 1)
		to->min = to->max = to->sum;
}

/*
 * Bounds the shortest and the longest visit of the interval. A minimum or
 * maximum that changed during the interval is exact. If unchanged, it is
 * replaced by the bound of the first or the last bucket with visits, if that is
 * tighter.
 */
static void bound_ticks(struct selfmon_gathered *row,
			const struct selfmon_sums *before)
{
	struct selfmon_stats *const stats = &row->stats;
	uint64_t histogram[SELFMON_BUCKETS], low, high;
	unsigned int first, last;

	if (selfmon_stats_visits(stats) <= 1)
		return;
	selfmon_buckets_copy(histogram, stats);
	selfmon_buckets_range(histogram, &first, &last);
	low = selfmon_gather_low(first);
	high = selfmon_gather_low(last) - 1; /* not used for the last bucket */
	if (stats->ticks.min == before->min) {
		row->unsure |= SELFMON_BOUND_MIN;
		if (low > stats->ticks.min)
			stats->ticks.min = low;
	}
	if (stats->ticks.max == before->max) {
		row->unsure |= SELFMON_BOUND_MAX;
		if (last < SELFMON_BUCKETS && high < stats->ticks.max)
			stats->ticks.max = high;
	}
}

static void subtract_stats(struct selfmon_stats *to,
			   const struct selfmon_stats *from)
{
	uint64_t kind[SELFMON_KIND_COUNT], visits;
	size_t i;

	for (i = 0; i < SELFMON_KIND_COUNT; i++) /* signed, so not since() */
		kind[i] = to->kind[i] - from->kind[i];
	to->sequence -= from->sequence;
	to->migrated = since(to->migrated, from->migrated);
	subtract_words(to, from, offsetof(struct selfmon_stats, left_out),
		       offsetof(struct selfmon_stats, long_histogram));
	for (i = 0; i < SELFMON_BUCKETS_LONG; i++)
		to->long_histogram[i] = (uint32_t)since(
			to->long_histogram[i], from->long_histogram[i]);
	to->work = NULL;
	memcpy(to->kind, kind, sizeof(kind));
	visits = selfmon_stats_visits(to);
	subtract_sums(&to->ticks, &from->ticks, visits);
	for (i = 0; i < SELFMON_MAX_COUNTERS; i++) {
		subtract_sums(&to->counter[i], &from->counter[i],
			      visits - to->left_out[i]);
	}
}

/*
 * Subtracts the earlier row. Returns false if the later row has fewer visits.
 */
static bool subtract_row(struct selfmon_gathered *to,
			 const struct selfmon_gathered *from)
{
	if (to->stats.sequence < from->stats.sequence)
		return false;
	to->open_before = from->open;
	subtract_stats(&to->stats, &from->stats);
	subtract_words(&to->all, &from->all, 0, sizeof(to->all));
	subtract_words(&to->ring, &from->ring, 0, sizeof(to->ring));
	if (from->stats.sequence)
		bound_ticks(to, &from->stats.ticks);
	return true;
}

static int copy_rows(struct selfmon_gather *to,
		     const struct selfmon_gather *from)
{
	uint32_t place;
	size_t i;

	if (selfmon_gather_units_copy(to, from))
		return -ENOMEM;
	for (i = 0; i < from->rows; i++) {
		if (selfmon_gather_row(to, from->row[i].parent,
				       from->row[i].region, &place))
			return -ENOMEM;
		to->row[place] = from->row[i];
	}
	return 0;
}

/*
 * Finds the row of each earlier row by its path, and subtracts the earlier row.
 * Paths are unique. Returns -EINVAL if the later report lacks a row in which
 * something was recorded, or has fewer visits in it. A row that had only open
 * visits may be missing: they may have moved to other rows (open/take_out.c).
 */
static int subtract_rows(struct selfmon_gather *to,
			 const struct selfmon_gather *from)
{
	uint32_t *const place = calloc(from->rows + 1, sizeof(*place));
	const size_t rows = to->rows;
	int error = place ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; !error && i < from->rows; i++) {
		const struct selfmon_gathered *const row = &from->row[i];

		error = selfmon_gather_row(
			to, row->parent < 0 ? -1 : (int32_t)place[row->parent],
			row->region, &place[i]);
		if (error)
			break;
		if (place[i] < rows ? subtract_row(&to->row[place[i]], row)
				    : !selfmon_gather_is_recorded(row))
			selfmon_gather_units_since(to, place[i], from, i);
		else
			error = -EINVAL;
	}
	free(place);
	return error ? error : selfmon_gather_drop_empty(to);
}

static int subtract_spans(struct selfmon_gather *to,
			  const struct selfmon_gather *later,
			  const struct selfmon_gather *earlier)
{
	struct selfmon_gather *spans;
	int error;

	if (!later->async)
		return 0;
	spans = calloc(1, sizeof(*spans));
	to->async = spans;
	if (!spans)
		return -ENOMEM;
	error = copy_rows(spans, later->async);
	if (!error && earlier->async)
		error = subtract_rows(spans, earlier->async);
	return error;
}

static int subtract_gathered(struct selfmon_gather *to,
			     const struct selfmon_gather *later,
			     const struct selfmon_gather *earlier)
{
	int error = copy_rows(to, later);

	to->every = later->every;
	to->too_deep = since(later->too_deep, earlier->too_deep);
	to->unready = since(later->unready, earlier->unready);
	to->displaced = since(later->displaced, earlier->displaced);
	to->evicted = since(later->evicted, earlier->evicted);
	to->uncounted = since(later->uncounted, earlier->uncounted);
	to->samples_outside =
		since(later->samples_outside, earlier->samples_outside);
	to->samples_lost = since(later->samples_lost, earlier->samples_lost);
	to->samples_lost_more = later->samples_lost_more;
	to->samples_unstored =
		since(later->samples_unstored, earlier->samples_unstored);
	if (!error)
		error = subtract_rows(to, earlier);
	return error ? error : subtract_spans(to, later, earlier);
}

/*
 * Copies the names of regions: a report that was read from a live file owns its
 * names, and may be freed before the interval.
 */
static int copy_regions(struct selfmon_report *to,
			const struct selfmon_report *from)
{
	size_t i;

	if (!from->regions)
		return 0;
	to->region = calloc(from->regions, sizeof(struct selfmon_region *));
	if (!to->region)
		return -ENOMEM;
	for (i = 0; i < from->regions; i++) {
		to->region[i] = selfmon_live_region_copy(from->region[i]);
		if (!to->region[i])
			return -ENOMEM;
		to->regions++;
	}
	return 0;
}

static void copy_header(struct selfmon_report *to,
			const struct selfmon_report *later,
			const struct selfmon_report *earlier)
{
	const struct selfmon_recorded *const from = later->recorded;

	*to = *later;
	to->recorded = NULL;
	to->apart = NULL;
	to->async = NULL;
	to->samples = NULL;
	to->slow = NULL;
	to->stacks = false;
	to->row = NULL;
	to->detail = NULL;
	to->region = NULL;
	to->rows = to->regions = 0;
	to->total_ns = 0;
	memcpy(to->column, from->column, sizeof(to->column));
	memcpy(to->since, earlier->when, sizeof(to->since));
	to->elapsed_ns = (double)selfmon_clock_ns(
		&from->clock, from->ticks - earlier->recorded->ticks);
	if (to->cpu_ns)
		to->cpu_ns = since(later->cpu_ns, earlier->cpu_ns);
	to->stale = since(later->stale, earlier->stale);
}

/*
 * Checks that both reports are complete, of the same process, and in this
 * order.
 */
static int check_reports(const struct selfmon_report *later,
			 const struct selfmon_report *earlier)
{
	const struct selfmon_recorded *const a = later->recorded;
	const struct selfmon_recorded *const b = earlier->recorded;

	if (!a || !b || later->pid != earlier->pid || a->ticks < b->ticks ||
	    (earlier->start_ticks &&
	     later->start_ticks != earlier->start_ticks))
		return -EINVAL;
	return later->unread || earlier->unread ? -EAGAIN : 0;
}

static int fill_interval(struct selfmon_report *to,
			 const struct selfmon_report *later,
			 const struct selfmon_report *earlier)
{
	struct selfmon_gather gather = { .rows = 0 };
	int error;

	copy_header(to, later, earlier);
	error = copy_regions(to, later);
	gather.named = to->regions ? to->region
				   : later->recorded->gather.named;
	if (!error)
		error = subtract_gathered(&gather, &later->recorded->gather,
					  &earlier->recorded->gather);
	if (!error)
		error = selfmon_report_settle(to, &gather,
					      &later->recorded->calibration,
					      &later->recorded->clock);
	if (!error) {
		selfmon_report_columns_as_asked(to);
		error = selfmon_report_take_samples(
			to, &gather, &later->recorded->sampling,
			1e9 / (double)later->recorded->clock.hz);
	}
	if (!error) {
		error = selfmon_report_take_async(to, &gather,
						  &later->recorded->clock);
	}
	if (!error)
		error = selfmon_report_slowest_since(to, later->recorded,
						     earlier->recorded,
						     gather.named);
	selfmon_gather_free(&gather);
	return error;
}

int selfmon_report_subtract(const struct selfmon_report *later,
			    const struct selfmon_report *earlier,
			    struct selfmon_report **interval)
{
	struct selfmon_report *report;
	int error;

	*interval = NULL;
	error = check_reports(later, earlier);
	if (error)
		return error;
	report = calloc(1, sizeof(*report));
	error = report ? fill_interval(report, later, earlier) : -ENOMEM;
	if (error)
		selfmon_report_free(report);
	else
		*interval = report;
	return error;
}
