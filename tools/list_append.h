/* SPDX-License-Identifier: MIT */
/* A list of events that grows. */
#ifndef SELFMON_TOOLS_LIST_APPEND_H
#define SELFMON_TOOLS_LIST_APPEND_H

#include "list.h"

/*
 * Appends an event, in which everything but name and section is zero. Returns
 * NULL without memory.
 */
struct list_event *list_append(struct list *list, const char *name,
			       const char *section);

#endif
