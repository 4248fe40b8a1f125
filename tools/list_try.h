/* SPDX-License-Identifier: MIT */
/* Tries which events can be counted: opens each event as a set of its own. */
#ifndef SELFMON_TOOLS_LIST_TRY_H
#define SELFMON_TOOLS_LIST_TRY_H

#include "list.h"

/* Sets `how` and `reason` of all events of the list. */
void list_try(struct list *list);

#endif
