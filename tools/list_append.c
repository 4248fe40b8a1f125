/* SPDX-License-Identifier: MIT */
#include "list_append.h"

#include <stdlib.h>
#include <string.h>

struct list_event *list_append(struct list *list, const char *name,
			       const char *section)
{
	struct list_event *event;

	if (list->count == list->room) {
		const size_t room = list->room ? list->room * 2 : 128;

		event = realloc(list->event, room * sizeof(*event));
		if (!event)
			return NULL;
		list->event = event;
		list->room = room;
	}
	event = &list->event[list->count++];
	memset(event, 0, sizeof(*event));
	snprintf(event->name, sizeof(event->name), "%s", name);
	snprintf(event->section, sizeof(event->section), "%s", section);
	return event;
}
