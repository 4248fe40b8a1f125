/* SPDX-License-Identifier: MIT */
/*
 * Decides which events are counted together. PMUs have rules that no table here
 * has, and others may use a part of a PMU, like the NMI watchdog a counter. So
 * this code does not guess but tries. The first group keeps the events that the
 * kernel accepts and runs; the rest is tried again as a further group. The
 * kernel rotates groups that do not fit at once.
 */
#ifndef SELFMON_COUNTERS_GROUPING_H
#define SELFMON_COUNTERS_GROUPING_H

#include "counters/set.h"

/*
 * If there are several core types, sorts the first count members, which
 * are core PMU events, by type.
 */
void selfmon_grouping_types(struct selfmon_set *set, size_t count);
/*
 * Opens all groups of a set filled by set_fill(), whose hardware
 * events, the first `asked` members, come first. Puts the members into their
 * final order and fills in the head's counts.
 */
void selfmon_grouping_open(struct selfmon_set *set, size_t asked,
			   unsigned int flags);

#endif
