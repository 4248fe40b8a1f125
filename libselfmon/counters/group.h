/* SPDX-License-Identifier: MIT */
/*
 * Opens one group of events. The leader is opened disabled, then the members
 * are opened. Their pages are mapped where needed, and one call enables the
 * group. A group that opens may still never get onto the PMU, for example if
 * the NMI watchdog holds a counter. So the group is tried, and reduced until it
 * runs.
 */
#ifndef SELFMON_COUNTERS_GROUP_H
#define SELFMON_COUNTERS_GROUP_H

#include "counters/set.h"

/*
 * Opens and enables a group of the first `count` members, and checks that the
 * group gets onto the PMU. Drops the members that fail and moves them to the
 * end. Returns how many members are counted.
 */
size_t selfmon_group_open(struct selfmon_member *member, size_t count);
/*
 * If a member of a {} group of the user was dropped, drops the other members of
 * this {} too. Dropped members with `idle` set do not count. Returns true if it
 * dropped any members; these may still be open.
 */
bool selfmon_group_drop_broken(struct selfmon_member *member, size_t count);
/* Marks a member as dropped, with this error and reason. Does not close it. */
void selfmon_group_refuse(struct selfmon_member *member, int error,
			  const char *why);
void selfmon_group_release(struct selfmon_member *member, size_t count);
/*
 * Returns true for the kernel's clock events, whose values are in nanoseconds.
 */
bool selfmon_event_is_clock(const struct selfmon_event *event);

struct selfmon_group_read {
	uint64_t enabled_ns;
	uint64_t running_ns;
	uint64_t leader; /* the kernel's id of the leader */
	uint64_t value[SELFMON_MAX_COUNTERS];
};

/*
 * Reads a group with one read(2) of the leader's descriptor. The values are in
 * the order of the members. Returns 0 or -errno; -EIO if the descriptor's data
 * are not those of a group of this size.
 */
int selfmon_group_read(int fd, size_t count, struct selfmon_group_read *out);
/*
 * Reads a leader's group at time `ticks` if the descriptor still belongs to the
 * event. Other code may close all descriptors of the process, and its files
 * then reuse the numbers; such files must not be read. The descriptor is
 * checked if its last check is at least `trusted` ticks old. Returns 0, -EBADF
 * if the number was reused, or another -errno. times may be NULL.
 */
int selfmon_group_read_own(struct selfmon_member *leader, size_t count,
			   uint64_t ticks, uint64_t trusted, uint64_t *value,
			   struct selfmon_share *times);

#endif
