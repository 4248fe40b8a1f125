/* SPDX-License-Identifier: MIT */
/* How many events this machine counts at once. */
#ifndef SELFMON_COUNTERS_GRANTED_H
#define SELFMON_COUNTERS_GRANTED_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Returns how many events count at once where the kernel puts more of them on
 * the PMU than that, SIZE_MAX where it does not or where this is not known.
 * Opens groups of its own, once a process as a rule: the caller has no event on
 * the PMU that would take turns with them.
 */
size_t selfmon_granted(void);

/* What selfmon_granted() measures: events on the PMU, and those that count. */
struct selfmon_grant {
	size_t running;
	size_t counting;
	bool beside; /* others hold counters too, maybe for a while */
};
void selfmon_grant_measure(struct selfmon_grant *grant);

#endif
