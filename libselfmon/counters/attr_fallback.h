/* SPDX-License-Identifier: MIT */
/*
 * Requests to the kernel for an event, and reduced ones after a refusal. Pure.
 */
#ifndef SELFMON_COUNTERS_ATTR_FALLBACK_H
#define SELFMON_COUNTERS_ATTR_FALLBACK_H

#include <linux/perf_event.h>

#include <selfmon/event.h>

struct selfmon_attr_fallback {
	uint64_t ask;    /* bits for config1, in addition to the event's */
	bool no_guest;   /* exclude a guest that the thread runs */
	bool both_modes; /* exclude nothing: the kernel is counted too */
};

/* Requests everything; ask: from selfmon_kernel_user_read_bits(). */
void selfmon_attr_fallback_first(struct selfmon_attr_fallback *attempt,
				 const struct selfmon_event *event,
				 uint64_t ask);

/* Reduces the request after -errno. Returns false if nothing can be dropped. */
bool selfmon_attr_fallback_next(struct selfmon_attr_fallback *attempt,
				const struct selfmon_event *event, int error);

/*
 * Fills in the perf_event_attr, except for the members that depend on the
 * group.
 */
void selfmon_attr_fallback_attr(const struct selfmon_attr_fallback *attempt,
				const struct selfmon_event *event,
				struct perf_event_attr *attr);

#endif
