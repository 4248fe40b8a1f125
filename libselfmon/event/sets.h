/* SPDX-License-Identifier: MIT */
/* Built-in sets: a name such as @basic stands for several events. */
#ifndef SELFMON_EVENT_SETS_H
#define SELFMON_EVENT_SETS_H

#include <selfmon/event.h>

#include "event/spec.h"

/*
 * Appends the members of the set in spec->event, "@name[:modifiers]". Skips
 * members whose name, with modifiers, is already in the list. Returns 0, or
 * -errno with the failure filled in.
 *
 * With one core type, a member that does not fit is an error. With several core
 * types, a member takes one event for each type. A member that does not fit is
 * then left out and named in spec->left_out; it is an error only if this call
 * has appended no event before.
 */
int selfmon_sets_parse(const struct selfmon_spec *spec, uint8_t group,
		      struct selfmon_events *events);

/*
 * Returns the name of the index-th set, and its members. The first index is 0.
 * Returns NULL after the last set.
 */
const char *selfmon_sets_at(size_t index, const char **members);

/*
 * Fills in the failure for a list with too many events; names the first event
 * beyond the limit. Returns -E2BIG.
 */
int selfmon_sets_full(const struct selfmon_spec *spec,
		     struct selfmon_piece name);

#endif
