/* SPDX-License-Identifier: MIT */
#include "trace_lanes.h"

#include <stdlib.h>

#define TOLERANCE_NS 1000

/* The open visits of a lane, the newest one last. */
struct lane {
	struct trace_visit **open;
	size_t depth, room;
	uint64_t time; /* time of the newest start or end */
};

/*
 * Sorts by start. If two visits have the same start, the longer one comes
 * first. If they also have the same end, the visit whose end was recorded later
 * is the parent and comes first.
 */
static int by_begin(const void *left, const void *right)
{
	const struct trace_visit *const a = left, *const b = right;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return a->order > b->order ? -1 : a->order < b->order;
}

static int by_lane(const void *left, const void *right)
{
	const struct trace_visit *const a = left, *const b = right;

	if (a->lane != b->lane)
		return a->lane < b->lane ? -1 : 1;
	return by_begin(left, right);
}

static bool push(struct lane *lane, struct trace_visit *visit)
{
	struct trace_visit **longer;

	if (lane->depth == lane->room) {
		lane->room = lane->room ? lane->room * 2 : 16;
		longer = realloc(lane->open, lane->room * sizeof(*longer));
		if (!longer)
			return false;
		lane->open = longer;
	}
	lane->open[lane->depth++] = visit;
	if (visit->begin < lane->time)
		visit->begin = lane->time;
	if (visit->end < visit->begin)
		visit->end = visit->begin;
	lane->time = visit->begin;
	return true;
}

/*
 * Returns true if the visit can be added to the lane: no visit of the lane is
 * open or, if may_nest, the visit is inside the newest open one. First closes
 * the visits of the lane that end before the visit begins.
 */
static bool fits(struct lane *lane, struct trace_visit *visit, bool may_nest)
{
	const struct trace_visit *top;

	while (lane->depth) {
		top = lane->open[lane->depth - 1];
		if (top->end > visit->begin &&
		    (!may_nest || top->end - visit->begin > TOLERANCE_NS ||
		     visit->end <= top->end))
			break;
		lane->time = top->end;
		lane->depth--;
	}
	if (!lane->depth)
		return true;
	top = lane->open[lane->depth - 1];
	if (!may_nest)
		return false;
	if (visit->end > top->end && visit->end - top->end <= TOLERANCE_NS)
		visit->end = top->end;
	return visit->end <= top->end;
}

bool trace_lanes(struct trace_track *track)
{
	const bool may_nest = track->kind != TRACE_SPANS;
	struct lane *lane = NULL, *longer;
	uint32_t lanes = 0, i, j;

	if (track->visits)
		qsort(track->visit, track->visits, sizeof(*track->visit),
		      by_begin);
	for (i = 0; i < track->visits; i++) {
		struct trace_visit *const visit = &track->visit[i];

		for (j = 0; j < lanes; j++)
			if (fits(&lane[j], visit, may_nest))
				break;
		if (j == lanes) {
			longer = realloc(lane, (j + 1) * sizeof(*lane));
			if (!longer)
				break;
			lane = longer;
			lane[j] = (struct lane){ .depth = 0 };
			lanes++;
		}
		visit->lane = j;
		if (!push(&lane[j], visit))
			break;
	}
	for (j = 0; j < lanes; j++)
		free(lane[j].open);
	free(lane);
	track->lanes = lanes;
	if (i < track->visits)
		return false;
	if (lanes > 1)
		qsort(track->visit, track->visits, sizeof(*track->visit),
		      by_lane);
	return true;
}
