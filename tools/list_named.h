/* SPDX-License-Identifier: MIT */
/*
 * Collects names that stand for others: sets, and events of the CPU's manual.
 */
#ifndef SELFMON_TOOLS_LIST_NAMED_H
#define SELFMON_TOOLS_LIST_NAMED_H

#include "list.h"

/* Append these events to the list. Return false if out of memory. */
bool list_collect_sets(struct list *list);
bool list_collect_vendor(struct list *list);

#endif
