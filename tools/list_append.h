/* SPDX-License-Identifier: MIT */
/* A list of events that grows. */
#ifndef SELFMON_TOOLS_LIST_APPEND_H
#define SELFMON_TOOLS_LIST_APPEND_H

#include "list.h"

/* Appends an event, all zero except its name and section. NULL: no memory. */
struct list_event *list_append(struct list *list, const char *name,
			       const char *section);

#endif
