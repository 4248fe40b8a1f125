/* SPDX-License-Identifier: MIT */
/*
 * Collects the names of event sets, and the event names of the CPU's manual,
 * which come from libpfm.
 */
#ifndef SELFMON_TOOLS_LIST_NAMED_H
#define SELFMON_TOOLS_LIST_NAMED_H

#include "list.h"

/*
 * Append the sets, or the event names of libpfm. Return false if out of memory.
 */
bool list_collect_sets(struct list *list);
bool list_collect_vendor(struct list *list);

#endif
