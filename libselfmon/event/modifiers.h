/* SPDX-License-Identifier: MIT */
/* Modifiers: the letters after an event, which select modes and precision. */
#ifndef SELFMON_EVENT_MODIFIERS_H
#define SELFMON_EVENT_MODIFIERS_H

#include <selfmon/event.h>

#include "event/spec.h"

struct selfmon_modifiers {
	uint32_t flags; /* SELFMON_EVENT_USER, SELFMON_EVENT_KERNEL */
	uint8_t precise;
};

/*
 * Parses the letters. At least one is required. Returns 0, or -errno with the
 * failure filled in.
 */
int selfmon_modifiers_parse(const struct selfmon_spec *spec,
			    struct selfmon_piece letters,
			    struct selfmon_modifiers *modifiers);

/*
 * Cuts ":letters" off the end of a name that may itself contain colons. Cuts
 * only if all letters are modifiers and the remaining name has at least
 * `colons` colons. Otherwise returns false.
 */
bool selfmon_modifiers_cut(struct selfmon_piece *name, size_t colons,
			   struct selfmon_piece *letters);

/*
 * Adds modifiers to an event. The event then counts in all modes that its own
 * modifiers or the added ones name, with the greater of both precisions. An
 * event without u and k counts user mode; an event with k alone does not.
 */
void selfmon_modifiers_apply(const struct selfmon_modifiers *modifiers,
			     struct selfmon_event *event);

/*
 * Writes all modifiers of an event into its name, in place of the previous
 * ones. Returns 0, or -EINVAL if the name becomes too long.
 */
int selfmon_modifiers_rename(struct selfmon_event *event);

#endif
