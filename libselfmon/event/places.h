/* SPDX-License-Identifier: MIT */
/* Events of a place in the program: a variable's address, a function. */
#ifndef SELFMON_EVENT_PLACES_H
#define SELFMON_EVENT_PLACES_H

#include <selfmon/event.h>

#include "event/spec.h"

/*
 * How many colons such a name has at least: 1 for "mem:...", 2 for
 * "uprobe:..." and "uretprobe:..."; 0 if the text does not begin like one.
 */
size_t selfmon_place_colons(struct selfmon_piece text);

/*
 * mem:ADDRESS[/LENGTH][:ACCESS] or uprobe:PATH:PLACE, without modifiers. Of a
 * breakpoint config is the kernel's bp_type, config1 the address and config2
 * the length; of a uprobe config2 is the offset, and the path stays in the
 * name. 0 or -errno, with the failure filled in.
 */
int selfmon_place_parse(const struct selfmon_spec *spec,
			struct selfmon_piece name,
			struct selfmon_event *event);

/* The path of a uprobe's name; false for any other event. */
bool selfmon_place_path(const struct selfmon_event *event,
			char path[SELFMON_EVENT_NAME_SIZE]);

#endif
