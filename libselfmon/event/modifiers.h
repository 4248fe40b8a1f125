/* SPDX-License-Identifier: MIT */
/* The letters after an event: which modes, how precise. */
#ifndef SELFMON_EVENT_MODIFIERS_H
#define SELFMON_EVENT_MODIFIERS_H

#include <selfmon/event.h>

#include "event/spec.h"

struct selfmon_modifiers {
	uint32_t flags; /* SELFMON_EVENT_USER, SELFMON_EVENT_KERNEL */
	uint8_t precise;
};

/* Reads letters; none is an error. 0 or -errno, with the failure filled in. */
int selfmon_modifiers_parse(const struct selfmon_spec *spec,
			    struct selfmon_piece letters,
			    struct selfmon_modifiers *modifiers);

/*
 * Cuts ":letters" off the end of a name that may have colons of its own, if
 * there are none but letters of modifiers, and at least so many colons are
 * left. False: there is nothing to cut.
 */
bool selfmon_modifiers_cut(struct selfmon_piece *name, size_t colons,
			   struct selfmon_piece *letters);

/* Adds to those of an event: the modes of both, the greater precision. */
void selfmon_modifiers_apply(const struct selfmon_modifiers *modifiers,
			     struct selfmon_event *event);

/*
 * Puts all modifiers of an event into its name, in place of those it was
 * written with. 0, or -EINVAL if the name gets too long.
 */
int selfmon_modifiers_rename(struct selfmon_event *event);

#endif
