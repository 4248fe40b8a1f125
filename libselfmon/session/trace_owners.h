/* SPDX-License-Identifier: MIT */
/* The owners of the traced rings: threads' ids, and their names in the file. */
#ifndef SELFMON_SESSION_TRACE_OWNERS_H
#define SELFMON_SESSION_TRACE_OWNERS_H

#include "session/trace_blocks.h"

/* The ring's entries are now those of this thread. Looks up its name. */
void selfmon_trace_owned_by(struct selfmon_traced *traced, uint32_t tid);
/* Takes an entry about the owner: its id, or a part of its name. */
void selfmon_trace_take_owner(struct selfmon_traced *traced,
			      const struct selfmon_ended *entry);
/*
 * With longer=, bursts do not have the name that a thread stores when it exits.
 * Reads it from the entries after the last burst, if the owner of this burst
 * has exited.
 */
void selfmon_trace_take_last_name(const struct selfmon_recorder *recorder);

#endif
