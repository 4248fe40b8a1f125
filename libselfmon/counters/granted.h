/* SPDX-License-Identifier: MIT */
/* Measures how many events this machine can count at once. */
#ifndef SELFMON_COUNTERS_GRANTED_H
#define SELFMON_COUNTERS_GRANTED_H

#include <stdbool.h>
#include <stddef.h>

/*
 * If the kernel puts more events on the PMU than really count, returns how many
 * count at the same time. Otherwise, or if this number is unknown, returns
 * SIZE_MAX. The first call in a process opens groups to measure the number;
 * later calls may measure again if other programs used counters then. The
 * caller must have no events on the PMU, since they would rotate with these
 * groups.
 */
size_t selfmon_granted(void);

struct selfmon_grant {
	size_t running;  /* number of events that were on the PMU */
	size_t counting; /* number of these events that really counted */
	/*
	 * A group did not run all the time, because other programs used
	 * counters too; or no event could be opened.
	 */
	bool beside;
};
void selfmon_grant_measure(struct selfmon_grant *grant);

#endif
