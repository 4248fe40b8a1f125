/* SPDX-License-Identifier: MIT */
/*
 * The rows of a report: call trees of all threads, merged by path. Values stay
 * as recorded, in ticks; net_values.c converts them.
 */
#include "report/gather.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/calibration.h"
#include "store/name.h"
#include "store/statistics.h"
#include "store/stats.h"

#define ROWS_FIRST 64

static int rows_grow(struct selfmon_gather *gather)
{
	const size_t room = gather->room ? gather->room * 2 : ROWS_FIRST;
	struct selfmon_gathered *row;
	uint32_t *slot;
	size_t i, k;

	row = realloc(gather->row, room * sizeof(*row));
	if (!row)
		return -ENOMEM;
	gather->row = row;
	memset(row + gather->rows, 0, (room - gather->rows) * sizeof(*row));
	slot = calloc(room * 2, sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	free(gather->slot);
	gather->slot = slot;
	gather->room = room;
	for (i = 0; i < gather->rows; i++) {
		k = selfmon_gather_hash(row[i].parent, row[i].region);
		for (k &= room * 2 - 1; slot[k]; k = (k + 1) & (room * 2 - 1))
			;
		slot[k] = (uint32_t)i + 1;
	}
	return 0;
}

int selfmon_gather_row(struct selfmon_gather *gather, int32_t parent,
		       uint32_t region, uint32_t *index)
{
	struct selfmon_gathered *row;
	size_t k;

	if (gather->rows == gather->room && rows_grow(gather))
		return -ENOMEM;
	k = selfmon_gather_hash(parent, region) & (gather->room * 2 - 1);
	for (; gather->slot[k]; k = (k + 1) & (gather->room * 2 - 1)) {
		*index = gather->slot[k] - 1;
		row = &gather->row[*index];
		if (row->parent == parent && row->region == region)
			return 0;
	}
	*index = (uint32_t)gather->rows;
	gather->slot[k] = *index + 1;
	row = &gather->row[gather->rows++];
	memset(row, 0, sizeof(*row));
	row->parent = parent;
	row->region = region;
	row->origin = *index;
	selfmon_stats_init(&row->stats);
	return 0;
}

static void merge_sums(struct selfmon_sums *to, const struct selfmon_sums *from)
{
	to->sum = selfmon_gather_sum(to->sum, from->sum);
	if (from->min < to->min)
		to->min = from->min;
	if (from->max > to->max)
		to->max = from->max;
}

static void merge_stats(struct selfmon_stats *to,
			const struct selfmon_stats *from)
{
	size_t i;

	to->sequence += from->sequence;
	to->migrated += from->migrated;
	merge_sums(&to->ticks, &from->ticks);
	for (i = 0; i < SELFMON_MAX_COUNTERS; i++) {
		merge_sums(&to->counter[i], &from->counter[i]);
		to->left_out[i] += from->left_out[i];
	}
	to->partial += from->partial;
	to->partial_ticks = selfmon_gather_sum(to->partial_ticks,
					       from->partial_ticks);
	for (i = 0; i < SELFMON_MAX_UNITS; i++)
		to->units[i] += from->units[i];
	to->scaled_enabled_ns = selfmon_gather_sum(to->scaled_enabled_ns,
						   from->scaled_enabled_ns);
	to->scaled_off_ns = selfmon_gather_sum(to->scaled_off_ns,
					       from->scaled_off_ns);
	for (i = 0; i < 2; i++)
		to->off_ticks[i] = selfmon_gather_sum(to->off_ticks[i],
						      from->off_ticks[i]);
	for (i = 0; i < SELFMON_RARE_COUNT; i++)
		to->rare[i] += from->rare[i];
	for (i = 0; i < SELFMON_KIND_COUNT; i++)
		to->kind[i] += from->kind[i];
	for (i = 0; i < SELFMON_BUCKETS_SHORT; i++)
		to->histogram[i] += from->histogram[i];
	for (i = 0; i < SELFMON_BUCKETS_LONG; i++)
		to->long_histogram[i] += from->long_histogram[i];
}

static uint64_t visits_of(const struct selfmon_stats *stats)
{
	return selfmon_stats_visits(stats) + stats->rare[SELFMON_RARE_SKIPPED];
}

/*
 * Adds a node's weighted sums, which estimate the sums of all its visits if one
 * visit in N is measured. The weight of a measured visit is the number of
 * visits that it stands for. The last measured visit is not in from->sum yet:
 * it stands for all visits since its group began.
 */
static void merge_sampled(struct selfmon_weighted *to,
			  const struct selfmon_sampled *from, uint64_t visits)
{
	const uint64_t weights = selfmon_load_once(&from->weights);
	const uint64_t weight = visits > weights ? visits - weights : 0;
	const uint64_t *const sum = (const void *)&from->sum;
	const uint64_t *const last = (const void *)&from->last;
	uint64_t *const out = (void *)to;
	size_t i;

	for (i = 0; i < sizeof(*to) / sizeof(*out); i++)
		out[i] = selfmon_gather_sum(
			out[i], selfmon_load_once(&sum[i]) +
					weight * selfmon_load_once(&last[i]));
}

static void merge(const struct selfmon_gather *gather,
		  struct selfmon_gathered *row,
		  const struct selfmon_stats *stats,
		  const struct selfmon_sampled *sampled)
{
	merge_stats(&row->stats, stats);
	if (gather->every && sampled)
		merge_sampled(&row->all, sampled, visits_of(stats));
}

bool selfmon_gather_is_recorded(const struct selfmon_gathered *row)
{
	const uint64_t *rare = row->stats.rare;

	return row->stats.sequence || row->ring.samples ||
	       rare[SELFMON_RARE_SKIPPED] || rare[SELFMON_RARE_CUT_OFF];
}

int selfmon_gather_drop_empty(struct selfmon_gather *gather)
{
	int32_t *place = calloc(gather->rows + 1, sizeof(*place));
	size_t kept = 0, i;

	if (!place)
		return -ENOMEM;
	for (i = gather->rows; i-- > 0;) {
		const struct selfmon_gathered *row = &gather->row[i];

		place[i] |= row->open || selfmon_gather_is_recorded(row);
		if (place[i] && row->parent >= 0)
			place[row->parent] = 1;
	}
	for (i = 0; i < gather->rows; i++) {
		const bool keep = place[i];

		place[i] = (int32_t)kept;
		if (!keep)
			continue;
		gather->row[kept] = gather->row[i];
		if (gather->row[kept].parent >= 0)
			gather->row[kept].parent =
				place[gather->row[kept].parent];
		kept++;
	}
	gather->rows = kept;
	free(place);
	return 0;
}

int selfmon_gather_add(struct selfmon_gather *gather, int32_t parent,
		       uint32_t region, const struct selfmon_stats *stats,
		       const struct selfmon_sampled *sampled, int32_t *row)
{
	uint32_t index;

	if (selfmon_gather_row(gather, parent, region, &index))
		return -ENOMEM;
	*row = (int32_t)index;
	gather->row[index].threads++;
	if (stats)
		merge(gather, &gather->row[index], stats, sampled);
	return 0;
}

int selfmon_gather_span(struct selfmon_gather *gather, uint32_t region,
			const struct selfmon_stats *stats)
{
	int32_t row;

	if (!gather->async)
		gather->async = calloc(1, sizeof(*gather->async));
	if (!gather->async)
		return -ENOMEM;
	return selfmon_gather_add(gather->async, -1, region, stats, NULL, &row);
}

/*
 * Counts the open spans. A span may begin in one thread and end in another, so
 * the number is known only for all threads together. The number may be too low,
 * because threads that are read later may have ended more spans meanwhile.
 */
static void count_open_spans(struct selfmon_gather *async)
{
	size_t i;

	for (i = 0; i < async->rows; i++) {
		struct selfmon_gathered *const row = &async->row[i];
		const uint64_t begun = row->stats.kind[SELFMON_ASYNC_BEGUN] +
				       row->stats.kind[SELFMON_ASYNC_FRAME];
		const uint64_t ended = selfmon_stats_visits(&row->stats);

		row->open = begun > ended ? begun - ended : 0;
	}
}

/* Counts the open visits of fibers that no thread runs at the moment. */
static void count_suspended(struct selfmon_gather *gather)
{
	size_t i;

	for (i = 0; i < gather->rows; i++) {
		struct selfmon_gathered *const row = &gather->row[i];
		const uint64_t suspended =
			row->stats.rare[SELFMON_RARE_SUSPENDED];
		const uint64_t resumed = row->stats.rare[SELFMON_RARE_RESUMED];

		if (suspended > resumed)
			row->open += suspended - resumed;
	}
}

uint32_t selfmon_gather_occurred(const struct selfmon_gather *gather)
{
	uint32_t occurred = 0;
	size_t i, k;

	for (i = 0; i < gather->rows; i++) {
		const struct selfmon_stats *const stats = &gather->row[i].stats;

		for (k = 0; k < SELFMON_KIND_COUNT; k++)
			occurred |= (uint32_t)(stats->kind[k] > 0) << k;
		for (k = 0; k < SELFMON_MAX_UNITS; k++)
			if (stats->units[k])
				occurred |= SELFMON_OCCURRED_TOLD;
		if (stats->rare[SELFMON_RARE_RESUMED])
			occurred |= SELFMON_OCCURRED_SWITCHED;
		if (stats->rare[SELFMON_RARE_SKIPPED])
			occurred |= SELFMON_OCCURRED_SKIPPED;
	}
	return occurred;
}

int selfmon_gather_end(struct selfmon_gather *gather)
{
	count_suspended(gather);
	if (gather->apart && selfmon_gather_drop_empty(&gather->apart->gather))
		return -ENOMEM;
	if (gather->async) {
		count_open_spans(gather->async);
		if (selfmon_gather_drop_empty(gather->async))
			return -ENOMEM;
	}
	return selfmon_gather_drop_empty(gather);
}

const struct selfmon_region *
selfmon_gather_region(const struct selfmon_gather *gather, uint32_t id)
{
	return gather->named ? gather->named[id - 1] : selfmon_name_of(id);
}

/* ---- rows by thread ------------------------------------------------------ */

int selfmon_gather_make_apart(struct selfmon_gather *gather)
{
	gather->apart = calloc(1, sizeof(*gather->apart));
	if (!gather->apart)
		return -ENOMEM;
	gather->apart->gather.every = gather->every;
	return 0;
}

void selfmon_gather_free_apart(struct selfmon_gather *gather)
{
	if (gather->apart)
		selfmon_gather_free(&gather->apart->gather);
	free(gather->apart);
	gather->apart = NULL;
}

size_t selfmon_gather_thread(struct selfmon_gather_apart *apart,
			     uint32_t number, uint32_t owners, uint32_t tid,
			     const char name[SELFMON_THREAD_NAME])
{
	const bool own = owners == 1 && number < SELFMON_THREADS_APART;
	const size_t k = own ? (size_t)number + 1 : 0;
	struct selfmon_gathered_thread *const thread = &apart->thread[k];

	thread->threads += owners ? owners : 1; /* 0: unknown */
	if (!own)
		return k;
	thread->tid = tid;
	memcpy(thread->name, name, sizeof(thread->name));
	thread->name[sizeof(thread->name) - 1] = '\0';
	return k;
}

void selfmon_gather_free(struct selfmon_gather *gather)
{
	free(gather->row);
	free(gather->slot);
	free(gather->unit);
	free(gather->stack);
	free(gather->slow);
	if (gather->async)
		selfmon_gather_free(gather->async);
	free(gather->async);
	gather->async = NULL;
	selfmon_gather_free_apart(gather);
}
