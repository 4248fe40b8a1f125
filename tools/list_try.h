/* SPDX-License-Identifier: MIT */
/* Tries which events count here: each is opened as a set of its own. */
#ifndef SELFMON_TOOLS_LIST_TRY_H
#define SELFMON_TOOLS_LIST_TRY_H

#include "list.h"

/* Tries each by opening it. */
void list_try(struct list *list);

#endif
