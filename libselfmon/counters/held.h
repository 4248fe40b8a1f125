/* SPDX-License-Identifier: MIT */
/* The descriptors of all events that this process holds for the library. */
#ifndef SELFMON_COUNTERS_HELD_H
#define SELFMON_COUNTERS_HELD_H

#include <stdbool.h>
#include <stdint.h>

#include <selfmon/error.h>

/*
 * Before events are opened. In a forked child, the first time: closes the
 * descriptors of its parent's events, the clock's included.
 */
void selfmon_held_begin(void);

/*
 * Notes the descriptor of an event that was just opened. Returns the event's
 * number; 0: it is not known.
 */
uint64_t selfmon_held_add(int fd);

/*
 * Is it the event of this number still? True as well where it was not known,
 * or nobody may ask.
 */
bool selfmon_held_is(int fd, uint64_t id);

/*
 * Closes it, unless it is not that event any more: the host may have closed
 * all descriptors, and have its own behind the number.
 */
void selfmon_held_close(int fd, uint64_t id);

/* The same, of one that was opened just now and cannot be another's yet. */
void selfmon_held_drop(int fd);

/*
 * The library's share of what the host needs as well: half of RLIMIT_NOFILE,
 * half of vm.max_map_count. Is it used up? Then failure says so, as of a step
 * of the library's own, with what to raise.
 */
bool selfmon_held_all_fds(struct selfmon_failure *failure);
bool selfmon_held_all_maps(struct selfmon_failure *failure);

/* Less than a quarter of RLIMIT_NOFILE: nobody will miss a few more. */
bool selfmon_held_few_fds(void);

/* So many more pages are mapped; or less. */
void selfmon_held_map(int pages);

/*
 * Stops all events that this process has noted. Their descriptors stay open,
 * so that threads which still read them find no other file there.
 */
void selfmon_held_disable(void);

#endif
