/* SPDX-License-Identifier: MIT */
/* The samples of a report: their order, and access to them. */
#include "report/samples.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "report/model.h"

void selfmon_samples_free(struct selfmon_samples *samples)
{
	size_t i;

	if (!samples)
		return;
	for (i = 0; i < samples->modules; i++) {
		free(samples->module[i].path);
		free(samples->module[i].build_id);
	}
	free(samples->module);
	free(samples->stack);
	free(samples->address);
	free(samples);
}

bool selfmon_samples_of_clock(const struct selfmon_samples *samples)
{
	return !strncmp(samples->event, "task-clock", 10) ||
	       !strncmp(samples->event, "cpu-clock", 9);
}

/*
 * Sorts by row, then by descending count, then by content: take_stacks() has
 * stored the addresses of all stacks in the order of the stacks' content.
 */
static int compare_stacks(const void *a, const void *b)
{
	const struct selfmon_sampled_stack *const x = a, *const y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

void selfmon_samples_sort(struct selfmon_samples *samples)
{
	if (samples->stacks)
		qsort(samples->stack, samples->stacks, sizeof(*samples->stack),
		      compare_stacks);
}

/*
 * Returns the index of the first stack whose row is at least `row`, found by
 * bisection.
 */
static size_t first_of(const struct selfmon_samples *samples, int64_t row)
{
	size_t low = 0, high = samples->stacks;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (samples->stack[middle].row < row)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Size of the struct in version 0.2, the first with this function. Later
 * versions may have more members.
 */
#define STACK_SIZE_FIRST (offsetof(struct selfmon_call_stack, address) + \
			  sizeof(const struct selfmon_address *))

int selfmon_row_stack(const struct selfmon_report *report, size_t row, size_t i,
		      struct selfmon_call_stack *stack)
{
	const struct selfmon_samples *const samples = report->samples;
	const int64_t wanted = row == SELFMON_NO_ROW ? -1 : (int64_t)row;
	const struct selfmon_sampled_stack *from;
	size_t at;

	if (stack->size < STACK_SIZE_FIRST)
		return -EINVAL;
	if (!samples || !report->stacks ||
	    (row != SELFMON_NO_ROW && row >= report->rows))
		return -ENOENT;
	at = first_of(samples, wanted);
	if (i >= samples->stacks - at || samples->stack[at + i].row != wanted)
		return -ENOENT;
	from = &samples->stack[at + i];
	stack->count = from->count;
	stack->label = from->label;
	stack->data = from->data;
	stack->data_end = from->data_end;
	stack->depth = from->depth;
	stack->address = from->address;
	return 0;
}
