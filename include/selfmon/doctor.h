/* SPDX-License-Identifier: MIT */
/* Explains what the machine does not allow, and what to change. */
#include "compiler.h"
#if defined(SELFMON_DISABLE) && !defined(SELFMON_H)
#include "../selfmon.h"
#endif
#ifndef SELFMON_DOCTOR_H
#define SELFMON_DOCTOR_H

#include "error.h"

SELFMON_C_BEGIN

/*
 * Turns a failure into a sentence that names the cause, followed by a remedy.
 * Inspects this machine (perf_event_paranoid, hypervisor, limits) to
 * distinguish causes that share an errno. The text is one line, `EVENT: cause.
 * Remedy`, and safe to print: bytes that could control a terminal are written
 * as \xNN. The text has no final full stop, so that a command in the remedy can
 * be copied.
 *
 * failure: as filled in by selfmon_counters_open() or
 *          selfmon_events_parse(); NULL or error 0 gives "nothing failed"
 * text:    receives the text, cut to size with a '\0' at the end; may be NULL
 *          if size is 0
 *
 * Returns the length of the whole text, as snprintf(3) does.
 * Thread-safe; not async-signal-safe.
 */
SELFMON_API size_t selfmon_explain(const struct selfmon_failure *failure,
				   char *text, size_t size);

SELFMON_C_END

#endif
