/* SPDX-License-Identifier: MIT */
#include "session/trace_limits.h"

#include <string.h>

#include "store/limits.h"
#include "store/name.h"

/* Regions with fewer visits get no percentile. */
#define VISITS_MIN 1000
#define MILLION 1000000u

void selfmon_trace_limits_begin(const struct selfmon_trace_spec *spec)
{
	struct selfmon_config *const config = selfmon_config();

	if (spec->longer_ns || spec->above_ppm)
		selfmon_watch_clock();
	config->watch_ns = spec->longer_ns;
	config->watch_ticks = spec->longer_ns
				      ? selfmon_watch_ticks(spec->longer_ns)
				      : 0;
	config->watch_quantile = spec->above_ppm;
	config->watch_regions = spec->regions;
}

static void choose_region(struct selfmon_process *process,
			  struct selfmon_watch *watch, const regex_t *regions)
{
	const struct selfmon_region *const region =
		selfmon_name_of(watch->region);

	if (watch->chosen || !region)
		return;
	if (regions && regexec(regions, region->site.name, 0, NULL, 0)) {
		watch->left_out = true;
		selfmon_watch_trigger(process, watch, SELFMON_WATCH_NONE);
	}
	__atomic_store_n(&watch->chosen, true, __ATOMIC_RELEASE);
}

void selfmon_trace_limits_choose(struct selfmon_process *process,
				 const regex_t *regions)
{
	struct selfmon_watch *watch;
	size_t i;

	for (i = 0; i < SELFMON_WATCH_LISTS; i++)
		for (watch = selfmon_watch_first(process, i); watch;
		     watch = watch->next)
			choose_region(process, watch, regions);
}

/* ---- percentiles --------------------------------------------------------- */

static void add_histogram(struct selfmon_process *process,
			  const struct selfmon_node *node)
{
	const struct selfmon_watch *const watch =
		selfmon_watch_of(process, node->region);
	unsigned int i;

	if (!watch || !watch->histogram || watch->left_out)
		return;
	for (i = 0; i < SELFMON_BUCKETS; i++)
		watch->histogram[i] += selfmon_stats_bucket(node->stats, i);
}

static void add_all_nodes(struct selfmon_process *process)
{
	/* Acquire: threads and nodes are complete before they are listed. */
	const struct selfmon_thread *thread =
		__atomic_load_n(&process->threads, __ATOMIC_ACQUIRE);
	const struct selfmon_node *node;

	for (; thread; thread = thread->next)
		for (node = thread->root; node;
		     node = __atomic_load_n(&node->next, __ATOMIC_ACQUIRE))
			add_histogram(process, node);
}

/*
 * Returns the upper bound of the percentile's bucket. The middle of the bucket
 * would be wrong: if most visits take about the same time, they share one
 * bucket, and many of these visits are longer than its middle. With too few
 * visits, or in the last bucket, returns SELFMON_WATCH_NONE.
 */
static uint64_t limit_above(const uint64_t *histogram, uint32_t above_ppm)
{
	uint64_t visits = 0, above = 0;
	unsigned int bucket;
	size_t i;

	for (i = 0; i < SELFMON_BUCKETS; i++)
		visits += histogram[i];
	if (visits < VISITS_MIN)
		return SELFMON_WATCH_NONE;
	for (bucket = SELFMON_BUCKETS - 1; bucket; bucket--) {
		above += histogram[bucket];
		if ((double)above * MILLION > (double)visits * above_ppm)
			break;
	}
	if (bucket == SELFMON_BUCKETS - 1)
		return SELFMON_WATCH_NONE;
	return selfmon_bucket_low(bucket + 1) - 1;
}

static void measure_region(struct selfmon_process *process,
			   struct selfmon_watch *watch, uint32_t above_ppm)
{
	uint64_t limit;

	if (!watch->histogram || watch->left_out)
		return;
	limit = limit_above(watch->histogram, above_ppm);
	if (limit > SELFMON_WATCH_NONE)
		limit = SELFMON_WATCH_NONE;
	if (limit != watch->trigger)
		selfmon_watch_trigger(process, watch, limit);
	memset(watch->histogram, 0,
	       SELFMON_BUCKETS * sizeof(*watch->histogram));
}

void selfmon_trace_limits_measure(struct selfmon_process *process,
				  uint32_t above_ppm)
{
	struct selfmon_watch *watch;
	size_t i;

	add_all_nodes(process);
	for (i = 0; i < SELFMON_WATCH_LISTS; i++)
		for (watch = selfmon_watch_first(process, i); watch;
		     watch = watch->next)
			measure_region(process, watch, above_ppm);
	selfmon_limits_recall(process);
}

/* ---- for the writer ------------------------------------------------------ */

bool selfmon_trace_limits_has(struct selfmon_process *process, uint32_t region)
{
	const struct selfmon_watch *watch =
		selfmon_watch_first(process, region % SELFMON_WATCH_LISTS);

	while (watch && watch->region != region)
		watch = watch->next;
	return watch && !watch->left_out;
}

uint64_t selfmon_trace_limits_longer(struct selfmon_process *process)
{
	const struct selfmon_watch *watch;
	uint64_t longer = 0;
	size_t i;

	for (i = 0; i < SELFMON_WATCH_LISTS; i++)
		for (watch = selfmon_watch_first(process, i); watch;
		     watch = watch->next)
			if (!watch->left_out)
				longer += selfmon_load_once(&watch->longer);
	return longer;
}
