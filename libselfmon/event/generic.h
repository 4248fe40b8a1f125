/* SPDX-License-Identifier: MIT */
/* The events every kernel names alike: hardware, software and cache. */
#ifndef SELFMON_EVENT_GENERIC_H
#define SELFMON_EVENT_GENERIC_H

#include <selfmon/event.h>

#include "event/suggest.h"

/*
 * Looks a name or alias up and sets type, config and flags of the event,
 * nothing else. 0 or -ENOENT.
 */
int selfmon_generic_find(const char *name, size_t length,
			 struct selfmon_event *event);

/*
 * The index-th of all names, from 0: sets name, type, config and flags. The
 * aliases of a hardware or software event follow it and have the same type
 * and config; cache events come under the names of `perf list` only.
 * Returns false past the last.
 */
bool selfmon_generic_at(size_t index, struct selfmon_event *event);

/* The same names, for selfmon_suggest(). */
struct selfmon_words selfmon_generic_words(void);

/*
 * SELFMON_EVENT_HARDWARE and SELFMON_EVENT_KERNEL_FIRED, as far as type and
 * config alone tell.
 */
uint32_t selfmon_generic_flags(uint32_t type, uint64_t config);

#endif
