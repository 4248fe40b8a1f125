/* SPDX-License-Identifier: MIT */
/*
 * The rows of a report: the call trees of all threads, merged by path.
 * Values stay as they were recorded, in ticks; net.c makes them what is read.
 */
#include "report/gather.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
	for (i = 0; i < SELFMON_UNITS; i++)
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
	for (i = 0; i < SELFMON_BUCKETS; i++)
		to->histogram[i] += from->histogram[i];
}

static uint64_t visits_of(const struct selfmon_stats *stats)
{
	return selfmon_stats_visits(stats) + stats->rare[SELFMON_RARE_SKIPPED];
}

/* All visits of a node: the last one measured stands for those since. */
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
	if (gather->every)
		merge_sampled(&row->all, sampled, visits_of(stats));
}

/* Node -> row by the node's ordinal; the nodes oldest first, parents first. */
struct walk {
	const struct selfmon_node **node;
	int32_t *row;
	int32_t *apart; /* the same of the rows by thread */
	bool *updating; /* its row has a visit that is still open */
	size_t nodes;
};

static int walk_make(struct walk *walk, const struct selfmon_thread *thread)
{
	const struct selfmon_node *const newest =
		__atomic_load_n(&thread->newest, __ATOMIC_ACQUIRE);
	const struct selfmon_node *node;

	walk->nodes = (size_t)newest->ordinal + 1;
	walk->node = calloc(walk->nodes, sizeof(*walk->node));
	walk->row = calloc(walk->nodes, sizeof(*walk->row));
	walk->apart = calloc(walk->nodes, sizeof(*walk->apart));
	walk->updating = calloc(walk->nodes, sizeof(*walk->updating));
	if (!walk->node || !walk->row || !walk->apart || !walk->updating)
		return -ENOMEM;
	for (node = newest; node; node = node->next)
		walk->node[node->ordinal] = node;
	return 0;
}

static void walk_free(struct walk *walk)
{
	free(walk->node);
	free(walk->row);
	free(walk->apart);
	free(walk->updating);
}

static int add_node(struct selfmon_gather *gather,
		    struct selfmon_thread *thread, struct walk *walk, size_t i)
{
	const struct selfmon_node *const node = walk->node[i];
	const size_t parent = node->parent->ordinal;
	const struct selfmon_stats *stats = NULL;
	struct selfmon_stats copy;
	int error;

	if (selfmon_stats_read(thread, node, &copy, &walk->updating[i]))
		stats = &copy;
	else
		gather->unread++;
	error = selfmon_gather_add(gather, walk->row[parent], node->region,
				   stats, selfmon_sampled_of(node->stats),
				   &walk->row[i]);
	if (!error && gather->apart)
		error = selfmon_gather_add(&gather->apart->gather,
					   walk->apart[parent], node->region,
					   stats,
					   selfmon_sampled_of(node->stats),
					   &walk->apart[i]);
	return error;
}

/*
 * The place of a node that walk_make() saw, or walk->nodes. By address alone: a
 * node made since then has not been published to this thread, and is not to be
 * read.
 */
static size_t walk_place(const struct walk *walk,
			 const struct selfmon_node *node)
{
	size_t i;

	for (i = 0; i < walk->nodes; i++) {
		if (walk->node[i] == node)
			break;
	}
	return i;
}

/* The visit of an update that stands still counts as one, and is not open. */
static void add_open_visit(struct selfmon_gather *gather, struct walk *walk,
			   const struct selfmon_open *open)
{
	const size_t i = walk_place(walk, selfmon_load_once(&open->node));

	if (i == walk->nodes || walk->row[i] < 0)
		return;
	if (walk->updating[i]) {
		walk->updating[i] = false;
		return;
	}
	gather->row[walk->row[i]].open++;
	if (gather->apart)
		gather->apart->gather.row[walk->apart[i]].open++;
}

/*
 * Visits that are open now, the newest first; what a thread does meanwhile may
 * be missed.
 */
static void add_open(struct selfmon_gather *gather,
		     struct selfmon_thread *thread, struct walk *walk)
{
	struct selfmon_open *open = selfmon_load_once(&thread->top);

	for (; open > thread->open; open--) {
		const uint64_t mark = selfmon_load_once(&open->mark);

		if (!(mark & SELFMON_MARK_RECORDED) &&
		    mark != SELFMON_MARK_LEFT)
			add_open_visit(gather, walk, open);
	}
}

/* top: what stands for the parent of its top level in the rows by thread. */
static int add_thread(struct selfmon_gather *gather,
		      struct selfmon_thread *thread, int32_t top)
{
	struct walk walk;
	int error = walk_make(&walk, thread);
	size_t i;

	for (i = 0; !error && i < walk.nodes; i++) {
		const struct selfmon_node *const node = walk.node[i];

		if (!node->parent) {
			walk.row[i] = -1;
			walk.apart[i] = top;
			gather->root_overlapped += selfmon_load_once(
				&node->stats->rare[SELFMON_RARE_OVERLAPPED]);
			continue;
		}
		error = add_node(gather, thread, &walk, i);
	}
	if (!error)
		add_open(gather, thread, &walk);
	walk_free(&walk);
	return error;
}

/* Did anything happen here? An entry may have been moved before its end. */
static bool is_empty(const struct selfmon_gathered *row)
{
	const uint64_t *rare = row->stats.rare;

	return !row->stats.sequence && !row->open &&
	       !rare[SELFMON_RARE_SKIPPED] && !rare[SELFMON_RARE_CUT_OFF];
}

/* Leaves out rows in which, and below which, nothing happened. */
static int drop_empty(struct selfmon_gather *gather)
{
	int32_t *place = calloc(gather->rows + 1, sizeof(*place));
	size_t kept = 0, i;

	if (!place)
		return -ENOMEM;
	for (i = gather->rows; i-- > 0;) {
		const struct selfmon_gathered *row = &gather->row[i];

		place[i] |= !is_empty(row);
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

/* Who has it changes under the lock. */
static int32_t top_of_thread(struct selfmon_gather *gather,
			     struct selfmon_process *process,
			     struct selfmon_thread *thread)
{
	size_t k;

	if (!gather->apart)
		return -1;
	selfmon_process_lock(process);
	selfmon_thread_look_up_name(process, thread);
	k = selfmon_gather_thread(gather->apart, thread->number,
				  thread->owners, thread->tid, thread->name);
	selfmon_process_unlock(process);
	return selfmon_gather_top(k);
}

int selfmon_gather_threads(struct selfmon_gather *gather,
			   struct selfmon_process *process)
{
	struct selfmon_thread *thread =
		__atomic_load_n(&process->threads, __ATOMIC_ACQUIRE);
	int error = 0;

	gather->every = selfmon_config()->every > 1;
	if (gather->apart)
		gather->apart->gather.every = gather->every;
	gather->unready += selfmon_thread_unready();
	for (; thread && !error; thread = thread->next) {
		gather->too_deep += selfmon_load_once(&thread->too_deep);
		gather->unready += selfmon_load_once(&thread->unready);
		gather->displaced += selfmon_load_once(&thread->displaced);
		error = add_thread(gather, thread,
				   top_of_thread(gather, process, thread));
	}
	return error ? error : selfmon_gather_end(gather);
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

uint32_t selfmon_gather_occurred(const struct selfmon_gather *gather)
{
	uint32_t occurred = 0;
	size_t i, k;

	for (i = 0; i < gather->rows; i++) {
		const struct selfmon_stats *const stats = &gather->row[i].stats;

		for (k = 0; k < SELFMON_KIND_COUNT; k++)
			occurred |= (uint32_t)(stats->kind[k] > 0) << k;
		for (k = 0; k < SELFMON_UNITS; k++)
			if (stats->units[k])
				occurred |= SELFMON_OCCURRED_TOLD;
		if (stats->rare[SELFMON_RARE_SKIPPED])
			occurred |= SELFMON_OCCURRED_SKIPPED;
	}
	return occurred;
}

int selfmon_gather_end(struct selfmon_gather *gather)
{
	if (gather->apart && drop_empty(&gather->apart->gather))
		return -ENOMEM;
	return drop_empty(gather);
}

const struct selfmon_region *
selfmon_gather_region(const struct selfmon_gather *gather, uint32_t id)
{
	return gather->named ? gather->named[id - 1] : selfmon_name_of(id);
}

void selfmon_gather_free(struct selfmon_gather *gather)
{
	free(gather->row);
	free(gather->slot);
	selfmon_gather_free_apart(gather);
}
