/* SPDX-License-Identifier: MIT */
/* How many events this machine counts at once. */
#ifndef SELFMON_COUNTERS_GRANTED_H
#define SELFMON_COUNTERS_GRANTED_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Returns how many events count at once if the kernel puts more than that on
 * the PMU; SIZE_MAX if it does not, or if that is unknown. Opens its own
 * groups, usually once per process. The caller must not have events on the PMU,
 * since they would rotate with these groups.
 */
size_t selfmon_granted(void);

/* Result of the measurement: events on the PMU, and those that count. */
struct selfmon_grant {
	size_t running;
	size_t counting;
	bool beside; /* others use counters too, maybe temporarily */
};
void selfmon_grant_measure(struct selfmon_grant *grant);

#endif
