/* SPDX-License-Identifier: MIT */
/* Tracepoints by their names in tracefs: system:event. */
#ifndef SELFMON_EVENT_TRACEPOINT_H
#define SELFMON_EVENT_TRACEPOINT_H

#include <selfmon/event.h>

#include "event/spec.h"

/*
 * The paths at which tracefs may be mounted, terminated by NULL. Tests set it
 * to directories of their own.
 */
extern const char *const *selfmon_tracefs_roots;

/*
 * Sets type, config and flags of the event. Returns 0, -ENOENT if there is no
 * such tracepoint or the text is not a tracepoint's name, -ENODEV if tracefs is
 * not mounted, or -EACCES if tracefs is not readable.
 */
int selfmon_tracepoint_find(struct selfmon_piece name,
			    struct selfmon_event *event);

/*
 * Reports the error that selfmon_tracepoint_find() returned for a name. Returns
 * -errno, or 1 without a report if the name does not resemble a tracepoint.
 *
 * If tracefs is not mounted or not readable, the name may also be a misspelt
 * event of another kind. The message then includes `other`, which states why no
 * other event has this name.
 */
int selfmon_tracepoint_fail(const struct selfmon_spec *spec,
			    struct selfmon_piece name, int error,
			    const char *other);

/*
 * Returns true if tracefs has a system whose name is the part before the colon.
 */
bool selfmon_tracepoint_has_system(struct selfmon_piece name);

#endif
