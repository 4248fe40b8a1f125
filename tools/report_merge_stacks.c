/* SPDX-License-Identifier: MIT */
#include "report_merge_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "report/samples.h"
#include "tool.h"

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_addresses(const struct selfmon_address *a,
			     const struct selfmon_address *b)
{
	int order = strcmp(a->module, b->module);

	if (!order)
		order = strcmp(a->build_id, b->build_id);
	return order ? order : compare_numbers(a->address, b->address);
}

/* Returns 0 for stacks that differ at most in their counts and data ranges. */
static int compare_places(const void *one, const void *other)
{
	const struct selfmon_sampled_stack *const a = one, *const b = other;
	int order = a->row < b->row ? -1 : a->row > b->row;
	uint32_t i;

	if (!order)
		order = compare_numbers(a->label, b->label);
	if (!order)
		order = compare_numbers(a->depth, b->depth);
	for (i = 0; !order && i < a->depth; i++)
		order = compare_addresses(&a->address[i], &b->address[i]);
	return order;
}

/*
 * Adds the count and the data range of a stack with the same addresses. A range
 * with data 0 is unknown. Returns false if the sum is too large.
 */
static bool add_equal(struct selfmon_sampled_stack *to,
		      const struct selfmon_sampled_stack *from)
{
	if (__builtin_add_overflow(to->count, from->count, &to->count))
		return false;
	if (from->data && (!to->data || from->data < to->data))
		to->data = from->data;
	if (from->data_end > to->data_end)
		to->data_end = from->data_end;
	return true;
}

static int join_equal(struct selfmon_samples *samples)
{
	struct selfmon_sampled_stack *const stack = samples->stack;
	size_t last = 0, i;

	if (!samples->stacks)
		return 0;
	qsort(stack, samples->stacks, sizeof(*stack), compare_places);
	for (i = 1; i < samples->stacks; i++) {
		if (compare_places(&stack[last], &stack[i]) != 0)
			stack[++last] = stack[i];
		else if (!add_equal(&stack[last], &stack[i]))
			return tool_fail("report", "samples.stacks: the sum "
					 "of all files is more than a "
					 "number can hold");
	}
	samples->stacks = last + 1;
	return 0;
}

/*
 * Sorts the stacks, so that their order does not depend on the order of the
 * files. The library sorts stacks with equal counts by their position in
 * memory. So the addresses are first copied in the order of the sorted stacks.
 * Returns 0, or TOOL_NO with a message.
 */
static int settle(struct selfmon_samples *samples)
{
	struct selfmon_address *const to =
		calloc(samples->addresses + 1, sizeof(*to));
	size_t used = 0, i;

	if (!to)
		return tool_fail("report", "no memory");
	for (i = 0; i < samples->stacks; i++) {
		struct selfmon_sampled_stack *const stack = &samples->stack[i];

		if (stack->depth)
			memcpy(to + used, stack->address,
			       stack->depth * sizeof(*to));
		stack->address = to + used;
		used += stack->depth;
	}
	free(samples->address);
	samples->address = to;
	samples->addresses = used;
	selfmon_samples_sort(samples);
	return 0;
}

int report_stacks_unite(struct selfmon_samples *samples)
{
	const int status = join_equal(samples);

	return status ? status : settle(samples);
}
