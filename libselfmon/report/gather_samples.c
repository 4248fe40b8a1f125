/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "report/gather_samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "platform/modules.h"
#include "report/room.h"
#include "report/samples.h"

/* ---- from the threads ---------------------------------------------------- */

struct taking {
	struct selfmon_gather *gather;
	const struct selfmon_gather_tree *tree;
};

static int take_entry(void *context, const struct selfmon_stack_entry *entry)
{
	const struct taking *const taking = context;
	struct selfmon_gather *const gather = taking->gather;
	struct selfmon_gathered_stack *stack;

	if (entry->key.ordinal >= taking->tree->places)
		return 0; /* the node is newer than the tree */
	if (!selfmon_room_for_one(&gather->stack, gather->stacks,
				  &gather->stacks_room, sizeof(*stack)))
		return -ENOMEM;
	stack = &gather->stack[gather->stacks++];
	stack->row = taking->tree->place[entry->key.ordinal].row;
	stack->entry = entry;
	stack->count = selfmon_load_once(&entry->count);
	return 0;
}

int selfmon_gather_samples(struct selfmon_gather *gather,
			   const struct selfmon_gather_tree *tree,
			   const struct selfmon_thread *thread)
{
	const struct selfmon_thread_ring *const ring =
		__atomic_load_n(&thread->ring, __ATOMIC_ACQUIRE);
	struct taking taking = { gather, tree };
	struct selfmon_ring_sums outside = { .samples = 0 };

	if (!ring)
		return 0;
	selfmon_ring_sums_read(thread, 0, &outside);
	gather->samples_outside += outside.samples;
	gather->samples_lost += selfmon_load_once(&ring->samples.lost);
	gather->samples_lost_more += selfmon_load_once(&ring->samples.more) ||
				     selfmon_load_once(&ring->samples.throttled);
	gather->samples_unstored +=
		selfmon_load_once(&ring->samples.stacks.unstored);
	return selfmon_stacks_read(&ring->samples.stacks, take_entry, &taking);
}

/* ---- to the report ------------------------------------------------------- */

/*
 * Makes an array that maps the origin of a gathered row (its index when it was
 * made) to the index of the report's row; -1 if the report has no such row.
 */
static int32_t *map_rows(const struct selfmon_report *report,
			 const struct selfmon_gather *gather)
{
	uint32_t most = 0;
	int32_t *map;
	size_t i;

	for (i = 0; i < gather->rows; i++)
		if (gather->row[i].origin > most)
			most = gather->row[i].origin;
	map = malloc((most + 1) * sizeof(*map));
	if (!map)
		return NULL;
	for (i = 0; i <= most; i++)
		map[i] = -1;
	for (i = 0; i < report->rows; i++)
		map[gather->row[report->detail[i].recorded].origin] =
			(int32_t)i;
	return map;
}

/* Compares row, label and addresses. Stacks of several threads may be equal. */
static int compare_gathered(const void *a, const void *b)
{
	const struct selfmon_gathered_stack *const x = a, *const y = b;
	const struct selfmon_stack_key *const p = &x->entry->key,
				       *const q = &y->entry->key;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (p->label != q->label)
		return p->label < q->label ? -1 : 1;
	if (p->depth != q->depth)
		return p->depth < q->depth ? -1 : 1;
	return memcmp(x->entry->address, y->entry->address,
		      p->depth * sizeof(uint64_t));
}

static void put_address(const struct selfmon_modules *modules,
			struct selfmon_samples *samples, uint64_t address)
{
	const struct selfmon_module *const module =
		selfmon_modules_at(modules, address);
	struct selfmon_address *const to =
		&samples->address[samples->addresses++];

	*to = (struct selfmon_address){ "", "", address };
	if (!module)
		return;
	to->module = samples->module[module - modules->module].path;
	to->build_id = samples->module[module - modules->module].build_id;
	to->address = address - module->bias;
}

static void copy_stack(const struct selfmon_modules *modules,
		      struct selfmon_samples *samples,
		      const struct selfmon_gathered_stack *from)
{
	const struct selfmon_stack_entry *const entry = from->entry;
	struct selfmon_sampled_stack *const to =
		&samples->stack[samples->stacks++];
	uint32_t i;

	to->row = from->row;
	to->depth = entry->key.depth;
	to->label = entry->key.label;
	to->count = from->count;
	to->data = selfmon_load_once(&entry->data_low);
	to->data_end = selfmon_load_once(&entry->data_high);
	to->address = &samples->address[samples->addresses];
	for (i = 0; i < to->depth; i++)
		put_address(modules, samples, entry->address[i]);
}

static void merge_stack(struct selfmon_sampled_stack *to,
			const struct selfmon_gathered_stack *from)
{
	const uint64_t low = selfmon_load_once(&from->entry->data_low),
		       high = selfmon_load_once(&from->entry->data_high);

	to->count += from->count;
	if (low < to->data)
		to->data = low;
	if (high > to->data_end)
		to->data_end = high;
}

static int copy_modules(const struct selfmon_modules *modules,
			struct selfmon_samples *samples)
{
	size_t i;

	samples->module = calloc(modules->count + 1, sizeof(*samples->module));
	if (!samples->module)
		return -ENOMEM;
	for (i = 0; i < modules->count; i++) {
		struct selfmon_sampled_module *const to =
			&samples->module[samples->modules++];

		to->path = strdup(modules->module[i].path);
		to->build_id = strdup(modules->module[i].build_id);
		if (!to->path || !to->build_id)
			return -ENOMEM;
	}
	return 0;
}

static int take_stacks(const struct selfmon_gather *gather,
		       const struct selfmon_modules *modules,
		       const int32_t *map, struct selfmon_samples *samples)
{
	size_t addresses = 0, i;

	for (i = 0; i < gather->stacks; i++) {
		struct selfmon_gathered_stack *const stack = &gather->stack[i];

		stack->row = stack->row < 0 ? -1 : map[stack->row];
		addresses += stack->entry->key.depth;
	}
	samples->stack = calloc(gather->stacks + 1, sizeof(*samples->stack));
	samples->address = calloc(addresses + 1, sizeof(*samples->address));
	if (!samples->stack || !samples->address)
		return -ENOMEM;
	if (gather->stacks)
		qsort(gather->stack, gather->stacks, sizeof(*gather->stack),
		      compare_gathered);
	for (i = 0; i < gather->stacks; i++)
		if (i && !compare_gathered(&gather->stack[i - 1],
					   &gather->stack[i]))
			merge_stack(&samples->stack[samples->stacks - 1],
				    &gather->stack[i]);
		else
			copy_stack(modules, samples, &gather->stack[i]);
	selfmon_samples_sort(samples);
	return 0;
}

static int resolve(struct selfmon_report *report,
		   const struct selfmon_gather *gather)
{
	struct selfmon_modules modules;
	int32_t *const map = map_rows(report, gather);
	int error = selfmon_modules_find(&modules);

	if (!map)
		error = -ENOMEM;
	if (!error)
		error = copy_modules(&modules, report->samples);
	if (!error)
		error = take_stacks(gather, &modules, map, report->samples);
	selfmon_modules_free(&modules);
	free(map);
	report->stacks = !error;
	return error;
}

static void describe_samples(struct selfmon_samples *samples,
		     const struct selfmon_sampling *sampling,
		     const struct selfmon_gather *gather, double ns_per_tick)
{
	size_t i;

	memcpy(samples->event, sampling->event.name, sizeof(samples->event));
	samples->period = sampling->period;
	samples->asked = sampling->asked;
	samples->frequency = sampling->frequency;
	samples->chain = sampling->chain;
	samples->cost_ns = (double)sampling->cost_ticks * ns_per_tick;
	samples->outside = gather->samples_outside;
	samples->lost = gather->samples_lost;
	samples->lost_more = gather->samples_lost_more;
	samples->unstored = gather->samples_unstored;
	samples->taken = samples->outside;
	for (i = 0; i < gather->rows; i++)
		samples->taken += gather->row[i].ring.samples;
}

void selfmon_samples_add_up(struct selfmon_report *report)
{
	size_t i;

	for (i = report->rows; i-- > 0;) {
		struct selfmon_row *const row = &report->row[i];

		row->samples_within += row->samples;
		if (row->parent >= 0)
			report->row[row->parent].samples_within +=
				row->samples_within;
	}
}

int selfmon_report_take_samples(struct selfmon_report *report,
				const struct selfmon_gather *gather,
				const struct selfmon_sampling *sampling,
				double ns_per_tick)
{
	if (!sampling->on)
		return 0;
	report->samples = calloc(1, sizeof(*report->samples));
	if (!report->samples)
		return -ENOMEM;
	describe_samples(report->samples, sampling, gather, ns_per_tick);
	selfmon_samples_add_up(report);
	return gather->stack ? resolve(report, gather) : 0;
}
