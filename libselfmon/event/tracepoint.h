/* SPDX-License-Identifier: MIT */
/* Tracepoints, by their names in tracefs: system:event. */
#ifndef SELFMON_EVENT_TRACEPOINT_H
#define SELFMON_EVENT_TRACEPOINT_H

#include <selfmon/event.h>

#include "event/spec.h"

/* Where tracefs is looked for; NULL at its end. Tests have trees of their own. */
extern const char *const *selfmon_tracefs_roots;

/*
 * Sets type, config and flags of the event. -ENOENT: tracefs has no such
 * tracepoint, or the text is not of this form; -ENODEV: it is not mounted;
 * -EACCES: it may not be read.
 */
int selfmon_tracepoint_find(struct selfmon_piece name,
			    struct selfmon_event *event);

/*
 * Says what is wrong with a name that this error was returned for. -errno, or
 * 1: there is nothing to be said of tracepoints. other: why it is not known as
 * anything else either, half a sentence; for where it may not be a tracepoint.
 */
int selfmon_tracepoint_fail(const struct selfmon_spec *spec,
			    struct selfmon_piece name, int error,
			    const char *other);

/* Has tracefs tracepoints of the system that stands before the colon? */
bool selfmon_tracepoint_has_system(struct selfmon_piece name);

#endif
