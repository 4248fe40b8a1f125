/* SPDX-License-Identifier: MIT */
/*
 * Decides which events are counted in one group. PMUs have undocumented rules,
 * and others may hold counters, as the NMI watchdog does. Therefore the rules
 * are not computed; groups are tried. The first group consists of the events
 * that the kernel accepts and runs. The other events are tried again as a
 * further group. If the groups do not fit on the PMU together, the kernel
 * rotates them.
 */
#ifndef SELFMON_COUNTERS_GROUPING_H
#define SELFMON_COUNTERS_GROUPING_H

#include "counters/set.h"

/*
 * Sorts the first `count` members by the type of core that counts them. They
 * must be events of core PMUs. If the set counts one thread, and this thread is
 * pinned to cores of one type, drops the events of other types; otherwise marks
 * all members as roaming. Does nothing if all cores have one type.
 */
void selfmon_grouping_types(struct selfmon_set *set, size_t count);
/*
 * Opens all groups of a set. Its members are filled in, and the first `asked`
 * ones are the hardware events. Puts the members into their final order, and
 * stores the numbers of members in the set's head.
 */
void selfmon_grouping_open(struct selfmon_set *set, size_t asked,
			   unsigned int flags);

#endif
