/* SPDX-License-Identifier: MIT */
/* Measures how many events this machine can count at once. */
#ifndef SELFMON_COUNTERS_GRANTED_H
#define SELFMON_COUNTERS_GRANTED_H

#include <stdbool.h>
#include <stddef.h>

/*
 * If the kernel puts more events on the PMU than really count, returns how many
 * count at the same time. Otherwise, or if this is unknown, returns SIZE_MAX.
 * Opens groups for the measurement, usually once in a process. Meanwhile the
 * caller must not have events on the PMU, since they would rotate with these
 * groups.
 */
size_t selfmon_granted(void);

/* Result of the measurement. */
struct selfmon_grant {
	size_t running;  /* number of events that were on the PMU */
	size_t counting; /* number of these events that really counted */
	/*
	 * A group did not run all the time, because other programs use counters
	 * too, possibly not permanently; or no event could be opened.
	 */
	bool beside;
};
void selfmon_grant_measure(struct selfmon_grant *grant);

#endif
