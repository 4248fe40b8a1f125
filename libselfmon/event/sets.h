/* SPDX-License-Identifier: MIT */
/* Sets that ship: @basic and others stand for several events. */
#ifndef SELFMON_EVENT_SETS_H
#define SELFMON_EVENT_SETS_H

#include <selfmon/event.h>

#include "event/spec.h"

/*
 * Appends the members of the set that spec->event names, "@name[:modifiers]",
 * but for those that are in the list already, in this {} or none. Where cores
 * are of several types: as many as fit for all types, in their order, and what
 * is left out is told. 0 or -errno, with the failure filled in.
 */
int selfmon_sets_parse(const struct selfmon_spec *spec, uint8_t group,
		      struct selfmon_events *events);

/* The index-th set, from 0, and what it stands for; NULL past the last. */
const char *selfmon_sets_at(size_t index, const char **members);

/* Too many events: says which is the first one. Returns -E2BIG. */
int selfmon_sets_full(const struct selfmon_spec *spec,
		     struct selfmon_piece name);

#endif
