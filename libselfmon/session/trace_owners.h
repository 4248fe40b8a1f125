/* SPDX-License-Identifier: MIT */
/* The names of threads that have exited after their last burst. */
#ifndef SELFMON_SESSION_TRACE_OWNERS_H
#define SELFMON_SESSION_TRACE_OWNERS_H

#include "session/trace_blocks.h"

/*
 * With longer=, bursts do not have the name that a thread stores when it exits.
 * Reads it from the entries after the last burst, if the owner of this burst
 * has exited.
 */
void selfmon_trace_take_last_name(const struct selfmon_recorder *recorder);

#endif
