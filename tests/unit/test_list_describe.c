/* SPDX-License-Identifier: MIT */
/* Tests the descriptions of generic events in selfmon list. */
#include <criterion/criterion.h>

#include "../../tools/list_describe.h"
#include "event/generic.h"

/*
 * Returns the first entry with the code of this event. Later entries with this
 * code are aliases.
 */
static struct selfmon_event first_name(const struct selfmon_event *event)
{
	struct selfmon_event first;
	size_t i;

	for (i = 0; selfmon_generic_at(i, &first); i++)
		if (first.type == event->type && first.config == event->config)
			break;
	return first;
}

Test(list_describe, every_generic_event_has_a_description)
{
	struct selfmon_event event, first;
	char text[128];
	size_t i;

	for (i = 0; selfmon_generic_at(i, &event); i++) {
		first = first_name(&event);
		list_describe(first.name, text, sizeof(text));
		cr_expect(text[0], "tools/list_describe.c does not describe %s",
			  first.name);
	}
	cr_expect_gt(i, 40);
}
