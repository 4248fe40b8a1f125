/* SPDX-License-Identifier: MIT */
/*
 * Decides which events are counted together. PMUs have rules that no table here
 * contains, and others may use a part of the PMU, as the NMI watchdog uses a
 * counter. So this code does not guess but tries. The first group keeps the
 * events that the kernel accepts and runs. The other events are tried again as
 * a further group. If the groups do not fit on the PMU together, the kernel
 * rotates them.
 */
#ifndef SELFMON_COUNTERS_GROUPING_H
#define SELFMON_COUNTERS_GROUPING_H

#include "counters/set.h"

/*
 * On a machine with several core types, sorts the first count members, which
 * are events of core PMUs, by type.
 */
void selfmon_grouping_types(struct selfmon_set *set, size_t count);
/*
 * Opens all groups of a set that set_fill() has filled. Its first `asked`
 * members are the hardware events. Puts the members into their final order and
 * fills in the counts in the head.
 */
void selfmon_grouping_open(struct selfmon_set *set, size_t asked,
			   unsigned int flags);

#endif
