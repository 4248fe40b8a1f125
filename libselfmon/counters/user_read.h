/* SPDX-License-Identifier: MIT */
/*
 * Decides whether the hardware members of a set are read in user space: all or
 * none, since a group is read as a whole. If not, returns the reason for the
 * report.
 */
#ifndef SELFMON_COUNTERS_USER_READ_H
#define SELFMON_COUNTERS_USER_READ_H

#include "counters/set.h"

/*
 * Sets `shows` of each member: whether its page permits user reads. A page
 * shows this only while its event is on the PMU, so this function waits for the
 * group to get onto the PMU, at most for SELFMON_TURN_NS of its time enabled.
 */
void selfmon_group_look(struct selfmon_member *member, size_t count);
/*
 * Returns why the first hardware member without a page has no page. Returns
 * NULL if all have pages.
 */
const struct selfmon_failure *selfmon_set_unmapped(const struct selfmon_set *set);
/*
 * Prepares the hardware members of an open set for reads in user space. flags
 * are those of selfmon_counters_open(). Returns NULL, or why user reads are not
 * possible.
 */
const char *selfmon_set_user_read(struct selfmon_set *set, unsigned int flags);
/*
 * Returns the duration in ns of a user read of one member, for sets with user
 * reads. Returns 0 if unknown, because the set was off the PMU.
 */
uint64_t selfmon_set_read_ns(const struct selfmon_counters *set);

#endif
