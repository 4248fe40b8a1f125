/* SPDX-License-Identifier: MIT */
/*
 * Opens one group of events: leader disabled, all opened, all mapped, one
 * enable. A group that opens may still never run, for example if the NMI
 * watchdog holds a counter. So it is tried, and reduced until it runs.
 */
#ifndef SELFMON_COUNTERS_GROUP_H
#define SELFMON_COUNTERS_GROUP_H

#include "counters/set.h"

/*
 * Opens, maps, enables and test-schedules a group from the members [first,
 * first + count). Drops members that fail and moves them behind the others.
 * Returns the number that count.
 */
size_t selfmon_group_open(struct selfmon_member *member, size_t count);
/*
 * Drops the other members of each {} group that lost one. Returns true if there
 * were any: they may still be open.
 */
bool selfmon_group_drop_broken(struct selfmon_member *member, size_t count);
/* Drops a member that is not open. */
void selfmon_group_refuse(struct selfmon_member *member, int error,
			  const char *why);
/* Releases the resources of members. */
void selfmon_group_release(struct selfmon_member *member, size_t count);
/* Returns true for the kernel's clock events, whose values are in ns. */
bool selfmon_event_is_clock(const struct selfmon_event *event);

struct selfmon_group_read {
	uint64_t enabled_ns;
	uint64_t running_ns;
	uint64_t leader; /* the kernel's id of its event */
	uint64_t value[SELFMON_MAX_COUNTERS];
};

/*
 * Reads a group with one read(2) of the leader's descriptor; values are in the
 * order of the members. Returns 0 or -errno; -EIO for a pinned event in its
 * error state.
 */
int selfmon_group_read(int fd, size_t count, struct selfmon_group_read *out);
/*
 * Reads a leader's group at time `ticks` if the descriptor still is the event.
 * Other code may close all descriptors of the process, and its own files reuse
 * the numbers; these must not be read. The descriptor is checked if the last
 * check is `trusted` ticks old. Returns -EBADF if the descriptor was reused.
 */
int selfmon_group_read_own(struct selfmon_member *leader, size_t count,
			   uint64_t ticks, uint64_t trusted,
			   struct selfmon_group_read *out);

#endif
