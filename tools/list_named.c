/* SPDX-License-Identifier: MIT */
#include "list_named.h"

#include <ctype.h>
#include <string.h>

#include "event/sets.h"
#include "list_append.h"
#include "platform/pfm.h"

bool list_collect_sets(struct list *list)
{
	struct list_event *event;
	const char *members = "", *name;
	size_t i;

	for (i = 0; (name = selfmon_sets_at(i, &members)); i++) {
		event = list_append(list, name, "sets");
		if (!event)
			return false;
		snprintf(event->text, sizeof(event->text), "%s", members);
	}
	return true;
}

/*
 * Appends an event, if its name is complete. If the event needs a unit mask,
 * append_masks() appends it.
 */
static bool append_vendor(struct list *list, const char *name,
			  const char *description)
{
	struct selfmon_events events;
	struct list_event *event;

	if (selfmon_events_parse(name, &events, NULL) < 0)
		return true;
	event = list_append(list, name, "the CPU's manual, by libpfm");
	if (event && description)
		snprintf(event->text, sizeof(event->text), "%.159s",
			 description);
	return event;
}

/*
 * Appends the event with each unit mask. libpfm writes unit masks in upper
 * case, and its own modifiers in lower case.
 */
static bool append_masks(struct list *list, const char *name,
			 const char *description)
{
	char mask[SELFMON_EVENT_NAME_SIZE], whole[SELFMON_EVENT_NAME_SIZE];
	bool fits = true;
	size_t i;

	for (i = 0; fits && selfmon_pfm_attribute(name, i, mask, sizeof(mask));
	     i++) {
		const int n = snprintf(whole, sizeof(whole), "%s:%s", name,
				       mask);

		if (!islower((unsigned char)mask[0]) && n > 0 &&
		    (size_t)n < sizeof(whole))
			fits = append_vendor(list, whole, description);
	}
	return fits;
}

bool list_collect_vendor(struct list *list)
{
	struct selfmon_pfm_cursor cursor = { 0 };
	const char *description = NULL;
	char name[SELFMON_EVENT_NAME_SIZE];
	bool fits = true;

	while (fits && selfmon_pfm_next(&cursor, name, sizeof(name),
					&description))
		fits = append_vendor(list, name, description) &&
		       append_masks(list, name, description);
	return fits;
}
