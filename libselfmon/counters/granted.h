/* SPDX-License-Identifier: MIT */
/* Measures how many events this machine can count at once. */
#ifndef SELFMON_COUNTERS_GRANTED_H
#define SELFMON_COUNTERS_GRANTED_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Returns how many events really count at the same time, if the kernel puts
 * more than this number on the PMU. Otherwise, or if unknown, returns SIZE_MAX.
 * Opens groups for the measurement, usually once in a process. Meanwhile the
 * caller must not have events on the PMU, since they would rotate with these
 * groups.
 */
size_t selfmon_granted(void);

/*
 * Result of the measurement: the number of events on the PMU, and of those that
 * really count.
 */
struct selfmon_grant {
	size_t running;
	size_t counting;
	bool beside; /* others use counters too, possibly not permanently */
};
void selfmon_grant_measure(struct selfmon_grant *grant);

#endif
