/* SPDX-License-Identifier: MIT */
#include "report/gather_tree.h"

#include <errno.h>
#include <stdlib.h>

#include "report/room.h"
#include "store/mend.h"

void selfmon_gather_begin(struct selfmon_gather *gather,
			  struct selfmon_gather_tree *tree,
			  const struct selfmon_thread_record *thread)
{
	gather->too_deep += selfmon_load_once(&thread->too_deep);
	gather->unready += selfmon_load_once(&thread->unready);
	gather->displaced += selfmon_load_once(&thread->displaced);
	gather->evicted += selfmon_load_once(&thread->evicted);
	gather->uncounted += selfmon_load_once(&thread->uncounted);
	tree->places = 0;
	tree->sorted = false;
	tree->top = -1;
	if (gather->apart)
		tree->top = selfmon_gather_top(selfmon_gather_thread(
			gather->apart, thread->number, thread->owners,
			thread->tid, thread->name));
}

static int add_rows(struct selfmon_gather *gather,
		    const struct selfmon_gather_place *parent,
		    const struct selfmon_node *node,
		    const struct selfmon_stats *stats,
		    const struct selfmon_sampled *sampled,
		    struct selfmon_gather_place *place)
{
	int error;

	if (node->region == SELFMON_REGION_ASYNC) {
		place->row = SELFMON_GATHER_ASYNC;
		return 0;
	}
	if (parent->row == SELFMON_GATHER_ASYNC)
		return selfmon_gather_span(gather, node->region, stats);
	error = selfmon_gather_add(gather, parent->row, node->region, stats,
				   sampled, &place->row);
	if (!error && gather->apart)
		error = selfmon_gather_add(&gather->apart->gather,
					   parent->apart, node->region, stats,
					   sampled, &place->apart);
	return error;
}

int selfmon_gather_node(struct selfmon_gather *gather,
			struct selfmon_gather_tree *tree,
			const struct selfmon_node *node,
			struct selfmon_stats *stats, bool whole,
			const struct selfmon_sampled *sampled)
{
	struct selfmon_gather_place place = { node->self, -1, tree->top, 0,
					      false };
	int error = 0;

	if (node->ordinal) {
		const struct selfmon_gather_place *const parent =
			&tree->place[node->parent_ordinal];

		if (stats)
			place.updating = selfmon_stats_complete(stats, whole);
		else
			gather->unread++;
		place.depth = parent->depth + 1;
		error = add_rows(gather, parent, node, stats, sampled, &place);
	}
	if (!error && !selfmon_room_for_one(&tree->place, tree->places,
					    &tree->room, sizeof(place)))
		error = -ENOMEM;
	if (!error)
		tree->place[tree->places++] = place;
	return error;
}

static void add_time(struct selfmon_ring_sums *to,
		     const struct selfmon_ring_sums *from)
{
	selfmon_off_cpu_add(&to->off, &from->off);
	to->samples += from->samples;
}

void selfmon_gather_ring(struct selfmon_gather *gather,
			    const struct selfmon_gather_tree *tree,
			    size_t ordinal, const struct selfmon_ring_sums *time)
{
	const struct selfmon_gather_place *place;

	if (ordinal >= tree->places)
		return;
	place = &tree->place[ordinal];
	if (place->row < 0)
		return;
	add_time(&gather->row[place->row].ring, time);
	if (gather->apart)
		add_time(&gather->apart->gather.row[place->apart].ring,
			 time);
}

static int by_address(const void *a, const void *b)
{
	const struct selfmon_gather_place *const x = a, *const y = b;

	return (x->self > y->self) - (x->self < y->self);
}

/*
 * Finds a node by its address. Returns NULL for the root, and for a node that
 * was made after the tree was read.
 */
static struct selfmon_gather_place *find(struct selfmon_gather_tree *tree,
					 const struct selfmon_node *node)
{
	const struct selfmon_gather_place key = {
		.self = (uint64_t)(uintptr_t)node
	};
	struct selfmon_gather_place *place;

	if (!tree->sorted && tree->places)
		qsort(tree->place, tree->places, sizeof(key), by_address);
	tree->sorted = true;
	place = tree->places ? bsearch(&key, tree->place, tree->places,
				       sizeof(key), by_address)
			     : NULL;
	return place && place->row >= 0 ? place : NULL;
}

/*
 * Skips a visit whose statistics were being updated, since the visit is already
 * counted as ended.
 */
void selfmon_gather_visit(struct selfmon_gather *gather,
			  struct selfmon_gather_tree *tree,
			  const struct selfmon_visit *visit)
{
	struct selfmon_gather_place *place;

	if (!selfmon_mark_is_open(selfmon_load_once(&visit->mark)))
		return;
	place = find(tree, selfmon_load_once(&visit->node));
	if (!place)
		return;
	if (place->updating) {
		place->updating = false;
		return;
	}
	gather->row[place->row].open++;
	if (gather->apart)
		gather->apart->gather.row[place->apart].open++;
}
