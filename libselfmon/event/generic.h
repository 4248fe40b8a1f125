/* SPDX-License-Identifier: MIT */
/*
 * The events that have the same name in every kernel: hardware, software and
 * cache.
 */
#ifndef SELFMON_EVENT_GENERIC_H
#define SELFMON_EVENT_GENERIC_H

#include <selfmon/event.h>

#include "event/suggest.h"

/*
 * Looks up a name or alias. Sets only type, config and flags of the event.
 * Returns 0 or -ENOENT.
 */
int selfmon_generic_find(const char *name, size_t length,
			 struct selfmon_event *event);

/*
 * Fills in the event with this index in the list of all names, starting at 0.
 * The aliases of a hardware or software event follow its name and have the same
 * type and config. Cache events have only the names of `perf list`. Returns
 * false after the last name.
 */
bool selfmon_generic_at(size_t index, struct selfmon_event *event);

/*
 * Returns an iterator over the names of selfmon_generic_at(), for
 * selfmon_suggest().
 */
struct selfmon_words selfmon_generic_words(void);

/*
 * Returns SELFMON_EVENT_HARDWARE and SELFMON_EVENT_KERNEL_FIRED if type and
 * config imply these flags.
 */
uint32_t selfmon_generic_flags(uint32_t type, uint64_t config);

#endif
