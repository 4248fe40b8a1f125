/* SPDX-License-Identifier: MIT */
/* Parses one event, given by a name, a code, or a PMU and its terms. */
#ifndef SELFMON_EVENT_NAMED_H
#define SELFMON_EVENT_NAMED_H

#include <selfmon/event.h>

#include "event/spec.h"

/*
 * Parses the text spec->event. The caller has stored the event's name and
 * position in *event. Returns 0, or -errno with the failure filled in.
 */
int selfmon_named_parse(const struct selfmon_spec *spec,
			struct selfmon_event *event);

#endif
