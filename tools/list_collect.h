/* SPDX-License-Identifier: MIT */
/*
 * Collects events: generic events, sets and events in sysfs; in a search also
 * tracepoints and the event names of libpfm.
 */
#ifndef SELFMON_TOOLS_LIST_COLLECT_H
#define SELFMON_TOOLS_LIST_COLLECT_H

#include "list.h"

/*
 * Collects all known events without opening them. Tracepoints and the names of
 * libpfm are included only in a search. Returns false if out of memory.
 */
bool list_collect(struct list *list);

/*
 * Returns true if a name or the description of an event contains this word, or
 * if its section is this word. Ignores case.
 */
bool list_has(const struct list_event *event, const char *word);

/* Removes the events that do not contain all words. */
void list_keep(struct list *list, char **words);

#endif
