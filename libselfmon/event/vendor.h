/* SPDX-License-Identifier: MIT */
/* Names that this machine may or may not know: tracepoints, CPUs' manuals. */
#ifndef SELFMON_EVENT_VENDOR_H
#define SELFMON_EVENT_VENDOR_H

#include <selfmon/event.h>

#include "event/spec.h"

/*
 * Understands a name that is neither generic nor a raw code, without its
 * modifiers. 0 or -errno, with the failure filled in: this is where unknown
 * names end up.
 */
int selfmon_vendor_parse(const struct selfmon_spec *spec,
			 struct selfmon_piece name,
			 struct selfmon_event *event);

#endif
