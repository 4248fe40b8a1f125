/* SPDX-License-Identifier: MIT */
/* The letters after an event: modes and precision. */
#ifndef SELFMON_EVENT_MODIFIERS_H
#define SELFMON_EVENT_MODIFIERS_H

#include <selfmon/event.h>

#include "event/spec.h"

struct selfmon_modifiers {
	uint32_t flags; /* SELFMON_EVENT_USER, SELFMON_EVENT_KERNEL */
	uint8_t precise;
};

/*
 * Parses letters; it is an error if there are none. Returns 0 or -errno, with
 * the failure filled in.
 */
int selfmon_modifiers_parse(const struct selfmon_spec *spec,
			    struct selfmon_piece letters,
			    struct selfmon_modifiers *modifiers);

/*
 * Cuts ":letters" off the end of a name that may contain colons. Does so only
 * if all letters are modifiers, and at least `colons` colons remain. Returns
 * false if there is nothing to cut.
 */
bool selfmon_modifiers_cut(struct selfmon_piece *name, size_t colons,
			   struct selfmon_piece *letters);

/*
 * Adds modifiers to those of an event: both sets of modes, the greater
 * precision.
 */
void selfmon_modifiers_apply(const struct selfmon_modifiers *modifiers,
			     struct selfmon_event *event);

/*
 * Writes all modifiers of an event into its name, replacing the written ones.
 * Returns 0, or -EINVAL if the name becomes too long.
 */
int selfmon_modifiers_rename(struct selfmon_event *event);

#endif
