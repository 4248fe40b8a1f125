/* SPDX-License-Identifier: MIT */
/* Descriptions of generic events. */
#ifndef SELFMON_TOOLS_LIST_DESCRIBE_H
#define SELFMON_TOOLS_LIST_DESCRIBE_H

#include "list.h"

/* Writes what a generic event counts, or "" if unknown. */
void list_describe(const char *name, char *text, size_t size);

#endif
