/* SPDX-License-Identifier: MIT */
/*
 * Names that depend on the machine: tracepoints, and events from CPU manuals.
 */
#ifndef SELFMON_EVENT_VENDOR_H
#define SELFMON_EVENT_VENDOR_H

#include <selfmon/event.h>

#include "event/spec.h"

/*
 * Parses a name that is neither generic nor a raw code, without its modifiers.
 * The parser tries this kind of name last, so this function reports unknown
 * names. Returns 0, or -errno with the failure filled in.
 */
int selfmon_vendor_parse(const struct selfmon_spec *spec,
			 struct selfmon_piece name,
			 struct selfmon_event *event);

#endif
