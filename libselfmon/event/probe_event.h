/* SPDX-License-Identifier: MIT */
/*
 * Events at an address: breakpoints on a variable, and uprobes in a function.
 */
#ifndef SELFMON_EVENT_PROBE_EVENT_H
#define SELFMON_EVENT_PROBE_EVENT_H

#include <selfmon/event.h>

#include "event/spec.h"

/*
 * Returns the minimum number of colons in the name of a breakpoint or uprobe: 1
 * for "mem:...", 2 for "uprobe:..." and "uretprobe:...". Returns 0 if the text
 * does not begin with one of these.
 */
size_t selfmon_probe_event_colons(struct selfmon_piece text);

/*
 * Parses mem:ADDRESS[/LENGTH][:ACCESS] or uprobe:PATH:PLACE, without modifiers.
 * For a breakpoint, config is the kernel's bp_type, config1 the address and
 * config2 the length. For a uprobe, config2 is the offset, and the path stays
 * in the name. Returns 0, or -errno with the failure filled in.
 */
int selfmon_probe_event_parse(const struct selfmon_spec *spec,
			      struct selfmon_piece name,
			      struct selfmon_event *event);

/*
 * Copies the path from the name of a uprobe. Returns false for any other event.
 */
bool selfmon_probe_event_path(const struct selfmon_event *event,
			      char path[SELFMON_EVENT_NAME_SIZE]);

#endif
