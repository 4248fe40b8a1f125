/* SPDX-License-Identifier: MIT */
/*
 * Computes what to request from the kernel for an event, and what less to
 * request after a refusal. Makes no system call.
 */
#ifndef SELFMON_COUNTERS_ATTR_FALLBACK_H
#define SELFMON_COUNTERS_ATTR_FALLBACK_H

#include <linux/perf_event.h>

#include <selfmon/event.h>

struct selfmon_attr_fallback {
	/* Bits of config1 that request user reads, not the event's own bits. */
	uint64_t ask;
	bool no_guest;   /* excludes a guest that the thread runs */
	bool both_modes; /* excludes nothing: the kernel is counted too */
};

/*
 * Begins with the complete request. ask is the result of
 * selfmon_kernel_user_read_bits(), or 0 for an event that is never read in user
 * space.
 */
void selfmon_attr_fallback_first(struct selfmon_attr_fallback *attempt,
				 const struct selfmon_event *event,
				 uint64_t ask);

/*
 * Reduces the request after the kernel refused it with `error` (-errno).
 * Returns false if nothing can be dropped.
 */
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
