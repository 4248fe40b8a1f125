/* SPDX-License-Identifier: MIT */
/* Sums samples by function, and finds the hottest line of each. */
#include "hot.h"

#include <stdlib.h>
#include <string.h>

static struct hot hot_of(struct symbols *symbols,
			 const struct selfmon_sampled_stack *stack)
{
	struct hot hot = { .file = "", .count = stack->count,
			   .at_line = stack->count };
	const struct symbol_place *place;

	if (!stack->depth)
		return hot;
	place = symbols_find(symbols, stack, 0);
	if (!place->frames)
		return hot;
	hot.function = place->frame[0].function;
	hot.file = place->frame[0].file;
	hot.line = place->frame[0].line;
	hot.inlined = place->frames > 1;
	return hot;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/*
 * Compares by function. Returns 0 for entries that will be merged into one:
 * entries of the same function, or in the same module without a symbol.
 */
static int compare_functions(const struct hot *a, const struct hot *b)
{
	const struct symbol_function *const x = a->function;
	const struct symbol_function *const y = b->function;

	if (!x || !y)
		return (x != NULL) - (y != NULL);
	if (x->known != y->known)
		return x->known ? 1 : -1;
	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return x->known ? compare_numbers(x->id, y->id) : 0;
}

/* Compares by function and line. For unknown functions, compares addresses. */
static int compare_lines(const void *one, const void *other)
{
	const struct hot *const a = one, *const b = other;
	int order = compare_functions(a, b);

	if (!order && a->function)
		order = compare_numbers(a->function->id, b->function->id);
	if (!order)
		order = strcmp(a->file, b->file);
	return order ? order : compare_numbers(a->line, b->line);
}

static int compare_counts(const void *one, const void *other)
{
	const struct hot *const a = one, *const b = other;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return compare_lines(a, b);
}

/*
 * Merges adjacent entries of the same function and, if by_line, the same line.
 * Returns the number of remaining entries.
 */
static size_t unite(struct hot *list, size_t count,
		    void (*add)(struct hot *to, const struct hot *from),
		    bool by_line)
{
	size_t last = 0, i;

	for (i = 1; i < count; i++) {
		if (by_line ? compare_lines(&list[last], &list[i])
			    : compare_functions(&list[last], &list[i]))
			list[++last] = list[i];
		else
			add(&list[last], &list[i]);
	}
	return count ? last + 1 : 0;
}

/*
 * In a report of the library the total is below 2^63. In a forged file the sum
 * may wrap around.
 */
static void add_line(struct hot *to, const struct hot *from)
{
	to->count += from->count;
	to->at_line += from->at_line;
	to->inlined = to->inlined && from->inlined;
}

static void add_function(struct hot *to, const struct hot *from)
{
	to->count += from->count;
	to->inlined = to->inlined && from->inlined;
	if (to->at_line >= from->at_line)
		return;
	to->at_line = from->at_line;
	to->function = from->function;
	to->file = from->file;
	to->line = from->line;
}

size_t hot_list(struct symbols *symbols,
		const struct selfmon_sampled_stack *stack, size_t stacks,
		struct hot **list)
{
	size_t count = stacks, i;

	*list = calloc(stacks + 1, sizeof(**list));
	if (!*list)
		return 0;
	for (i = 0; i < stacks; i++)
		(*list)[i] = hot_of(symbols, &stack[i]);
	qsort(*list, count, sizeof(**list), compare_lines);
	count = unite(*list, count, add_line, true);
	count = unite(*list, count, add_function, false);
	qsort(*list, count, sizeof(**list), compare_counts);
	return count;
}
