/* SPDX-License-Identifier: MIT */
#include "trace_sums.h"

#include <stdlib.h>
#include <string.h>

#include "trace_walk.h"

struct named {
	const char *name;
	uint32_t region;
};

struct summing {
	const struct trace *trace;
	const struct trace_track *track;
	struct trace_sum *sum; /* by first[region] and kind */
	uint32_t *first; /* by region: the first region of the same name */
	uint32_t *open;	 /* by first[region]: open visits of the lane */
};

static int by_name(const void *left, const void *right)
{
	const struct named *const a = left, *const b = right;
	const int order = strcmp(a->name, b->name);

	if (order)
		return order;
	return a->region < b->region ? -1 : a->region > b->region;
}

static int by_time(const void *left, const void *right)
{
	const struct trace_sum *const a = left, *const b = right;

	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	return a->visits < b->visits ? 1 : -(a->visits > b->visits);
}

/* Sets summing->first. Two places in the source may have the same name. */
static bool find_names(const struct summing *summing)
{
	const struct trace *const trace = summing->trace;
	struct named *const named = calloc(trace->regions + 1, sizeof(*named));
	size_t names = 0, i, first = 0;

	if (!named)
		return false;
	for (i = 0; i < trace->regions; i++)
		if (trace->region[i].name)
			named[names++] = (struct named){ trace->region[i].name,
							 (uint32_t)i };
	qsort(named, names, sizeof(*named), by_name);
	for (i = 0; i < names; i++) {
		if (strcmp(named[i].name, named[first].name) != 0)
			first = i;
		summing->first[named[i].region] = named[first].region;
	}
	free(named);
	return true;
}

static struct trace_sum *sum_of(const struct summing *summing, uint32_t region,
				enum trace_what what)
{
	return &summing->sum[(size_t)summing->first[region] * TRACE_WHATS +
			     what];
}

static void add(const struct summing *summing, const struct trace_visit *visit,
		bool outermost)
{
	struct trace_sum *const sum =
		sum_of(summing, visit->region, trace_what(summing->track));
	const uint64_t ns = visit->end - visit->begin;

	sum->visits++;
	if (outermost)
		sum->ns += ns;
	if (!sum->longest || ns > sum->longest->end - sum->longest->begin) {
		sum->longest = visit;
		sum->track = summing->track;
	}
}

static void begin_visit(void *context, const struct trace_visit *visit,
			size_t depth)
{
	const struct summing *const summing = context;

	(void)depth;
	add(summing, visit, !summing->open[summing->first[visit->region]]++);
}

static void end_visit(void *context, const struct trace_visit *visit,
		      size_t depth)
{
	const struct summing *const summing = context;

	(void)depth;
	summing->open[summing->first[visit->region]]--;
}

/* Spans and frames do not nest: each is an outermost one. */
static bool add_track(struct summing *summing)
{
	const struct trace_track *const track = summing->track;
	const struct trace_walk walk = { begin_visit, end_visit, summing };
	uint32_t i = 0;
	bool done = true;

	if (trace_what(track) == TRACE_VISIT) {
		while (i < track->visits && done)
			done = trace_walk(track, &i, &walk);
		return done;
	}
	for (; i < track->visits; i++)
		add(summing, &track->visit[i], true);
	return true;
}

static bool add_tracks(struct summing *summing)
{
	const struct trace *const trace = summing->trace;
	bool done = find_names(summing);
	size_t i, what;

	for (i = 0; i < trace->tracks && done; i++) {
		summing->track = &trace->track[i];
		if (trace_has_visits(summing->track))
			done = add_track(summing);
	}
	for (i = 0; i < trace->regions; i++)
		for (what = 0; what < TRACE_WHATS; what++)
			sum_of(summing, (uint32_t)i,
			       (enum trace_what)what)->longer +=
				trace->region[i].longer[what];
	return done;
}

struct trace_sum *trace_sums_of(const struct trace *trace, size_t *sums)
{
	const size_t most = trace->regions * TRACE_WHATS;
	struct summing summing = {
		.trace = trace,
		.sum = calloc(most + 1, sizeof(*summing.sum)),
		.first = calloc(trace->regions + 1, sizeof(*summing.first)),
		.open = calloc(trace->regions + 1, sizeof(*summing.open)),
	};
	const bool done = summing.sum && summing.first && summing.open &&
			  add_tracks(&summing);
	size_t i;

	free(summing.first);
	free(summing.open);
	if (!done) {
		free(summing.sum);
		return NULL;
	}
	*sums = 0;
	for (i = 0; i < most; i++)
		if (summing.sum[i].visits)
			summing.sum[(*sums)++] = summing.sum[i];
	qsort(summing.sum, *sums, sizeof(*summing.sum), by_time);
	return summing.sum;
}
