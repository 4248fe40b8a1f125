/* SPDX-License-Identifier: MIT */
#include "report/metric_rule.h"

#include <linux/perf_event.h>

/*
 * Finds the event that counts the accesses for a miss event. Returns false if
 * there is none.
 */
static bool tries_of(const struct selfmon_event_kind *miss, uint32_t *type,
		     uint64_t *config)
{
	*type = miss->type;
	if (miss->type == PERF_TYPE_HW_CACHE) {
		*config = (miss->config & 0xffff) |
			  PERF_COUNT_HW_CACHE_RESULT_ACCESS << 16;
		return true;
	}
	*config = miss->config == PERF_COUNT_HW_BRANCH_MISSES
			  ? PERF_COUNT_HW_BRANCH_INSTRUCTIONS
			  : PERF_COUNT_HW_CACHE_REFERENCES;
	return miss->type == PERF_TYPE_HARDWARE;
}

bool selfmon_rule_divisor(const struct selfmon_rule *rule,
			  const struct selfmon_event_kind *own, uint32_t *type,
			  uint64_t *config)
{
	*type = rule->by_type;
	*config = rule->by_config;
	return rule->by_type != BY_TRIES || tries_of(own, type, config);
}
