/* SPDX-License-Identifier: MIT */
#include "trace_walk.h"

#include <stdlib.h>

struct stack {
	const struct trace_visit **open;
	size_t depth, room;
};

static bool begin_visit(struct stack *stack, const struct trace_visit *visit,
			const struct trace_walk *walk)
{
	const struct trace_visit **longer;

	if (stack->depth == stack->room) {
		stack->room = stack->room ? stack->room * 2 : 16;
		longer = realloc(stack->open, stack->room * sizeof(*longer));
		if (!longer)
			return false;
		stack->open = longer;
	}
	walk->begin(walk->context, visit, stack->depth);
	stack->open[stack->depth++] = visit;
	return true;
}

/*
 * Ends the open visits that end before the visit `before` begins, or all if
 * `before` is NULL.
 */
static void end_visits(struct stack *stack, const struct trace_visit *before,
		       const struct trace_walk *walk)
{
	while (stack->depth) {
		const struct trace_visit *const top =
			stack->open[stack->depth - 1];

		if (before && before->end <= top->end &&
		    (before->begin < top->end || before->begin == before->end))
			return;
		walk->end(walk->context, top, --stack->depth);
	}
}

bool trace_walk(const struct trace_track *track, uint32_t *next,
		const struct trace_walk *walk)
{
	const uint32_t lane = track->visit[*next].lane;
	struct stack stack = { .depth = 0 };
	bool done = true;

	for (; *next < track->visits && track->visit[*next].lane == lane && done;
	     ++*next) {
		end_visits(&stack, &track->visit[*next], walk);
		done = begin_visit(&stack, &track->visit[*next], walk);
	}
	end_visits(&stack, NULL, walk);
	free(stack.open);
	return done;
}
