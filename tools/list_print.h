/* SPDX-License-Identifier: MIT */
/* Prints a list of events as text or JSON. */
#ifndef SELFMON_TOOLS_LIST_PRINT_H
#define SELFMON_TOOLS_LIST_PRINT_H

#include "list.h"

void list_print(const struct list *list, bool colours, FILE *stream);
void list_print_json(const struct list *list, FILE *stream);

#endif
