/* SPDX-License-Identifier: MIT */
/* Tracepoints by their names in tracefs: system:event. */
#ifndef SELFMON_EVENT_TRACEPOINT_H
#define SELFMON_EVENT_TRACEPOINT_H

#include <selfmon/event.h>

#include "event/spec.h"

/*
 * Paths where tracefs is looked for, ending with NULL. Tests use their own
 * trees.
 */
extern const char *const *selfmon_tracefs_roots;

/*
 * Sets type, config and flags of the event. Returns 0, -ENOENT if tracefs has
 * no such tracepoint or the text does not have this form, -ENODEV if it is not
 * mounted, or -EACCES if it is not readable.
 */
int selfmon_tracepoint_find(struct selfmon_piece name,
			    struct selfmon_event *event);

/*
 * Reports the error returned for a name. Returns -errno, or 1 if nothing is to
 * be said about tracepoints. other: half a sentence on why the name is unknown
 * otherwise, for names that may not be tracepoints.
 */
int selfmon_tracepoint_fail(const struct selfmon_spec *spec,
			    struct selfmon_piece name, int error,
			    const char *other);

/* Returns true if tracefs has tracepoints of the system before the colon. */
bool selfmon_tracepoint_has_system(struct selfmon_piece name);

#endif
