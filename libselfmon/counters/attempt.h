/* SPDX-License-Identifier: MIT */
/* How an event is asked for, and how more modestly after a refusal. Pure. */
#ifndef SELFMON_COUNTERS_ATTEMPT_H
#define SELFMON_COUNTERS_ATTEMPT_H

#include <linux/perf_event.h>

#include <selfmon/event.h>

struct selfmon_attempt {
	uint64_t ask;    /* bits for config1, beside those of the event */
	bool no_guest;   /* a guest that the thread runs is left out */
	bool both_modes; /* nothing is excluded: the kernel counts as well */
};

/* The most that is wanted; ask: what selfmon_kernel_user_read_bits() gave. */
void selfmon_attempt_first(struct selfmon_attempt *attempt,
			   const struct selfmon_event *event, uint64_t ask);

/* After -errno: false if there is nothing less to ask for. */
bool selfmon_attempt_next(struct selfmon_attempt *attempt,
			  const struct selfmon_event *event, int error);

/* What perf_event_open(2) is given, but for what a group needs. */
void selfmon_attempt_attr(const struct selfmon_attempt *attempt,
			  const struct selfmon_event *event,
			  struct perf_event_attr *attr);

#endif
