/* SPDX-License-Identifier: MIT */
/* Built-in sets: @basic and others stand for several events. */
#ifndef SELFMON_EVENT_SETS_H
#define SELFMON_EVENT_SETS_H

#include <selfmon/event.h>

#include "event/spec.h"

/*
 * Appends the members of the set that spec->event names, "@name[:modifiers]",
 * except those already in the list, in the same {} or in none. With several
 * core types: only as many as fit for all types, in their order; the rest is
 * reported in left_out. Returns 0 or -errno, with the failure filled in.
 */
int selfmon_sets_parse(const struct selfmon_spec *spec, uint8_t group,
		      struct selfmon_events *events);

/* Returns the index-th set, from 0, and its members; NULL past the last. */
const char *selfmon_sets_at(size_t index, const char **members);

/*
 * Fills in the failure for too many events, naming the first one. Returns
 * -E2BIG.
 */
int selfmon_sets_full(const struct selfmon_spec *spec,
		     struct selfmon_piece name);

#endif
