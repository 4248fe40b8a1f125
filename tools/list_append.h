/* SPDX-License-Identifier: MIT */
/* A list of events that grows. */
#ifndef SELFMON_TOOLS_LIST_APPEND_H
#define SELFMON_TOOLS_LIST_APPEND_H

#include "list.h"

/*
 * Appends an event. All members but name and section are 0. Returns NULL if out
 * of memory.
 */
struct list_event *list_append(struct list *list, const char *name,
			       const char *section);

#endif
