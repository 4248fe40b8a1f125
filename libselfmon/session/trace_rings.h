/* SPDX-License-Identifier: MIT */
/* The entries of the threads' rings, copied to blocks of a trace's file. */
#ifndef SELFMON_SESSION_TRACE_RINGS_H
#define SELFMON_SESSION_TRACE_RINGS_H

#include "session/trace_blocks.h"

/* Maximum number of entries in a block. */
#define SELFMON_TRACE_BLOCK_ENTRIES 4096u
/*
 * Time until the next reading if a ring fills up or, with longer=, has
 * unwritten entries.
 */
#define SELFMON_TRACE_SHORT_PAUSE_NS 1000000

/*
 * Returns the current contents of an entry. If the thread overwrites the entry
 * during the read, the result may be a mix of old and new contents.
 */
static inline struct selfmon_ended
selfmon_trace_entry(const struct selfmon_recorder *recorder, uint64_t position)
{
	const struct selfmon_ended *const entry =
		&recorder->entry[position & recorder->mask];

	return (struct selfmon_ended){
		selfmon_load_once(&entry->end),
		selfmon_load_once(&entry->ticks_region),
	};
}

/* Call before a ring is read. Returns false if there is no memory. */
bool selfmon_trace_begin_ring(struct selfmon_process *process,
			      struct selfmon_recorder *recorder);
/*
 * Waits for a moment at which all entries that the thread has reserved are
 * written, except those that a jump left unwritten. Returns the number of
 * reserved entries at that moment. If some entries were unwritten at all
 * checks, returns UINT64_MAX, and stores in *least the smallest number of
 * unwritten entries that was seen.
 */
uint64_t selfmon_trace_settled(const struct selfmon_recorder *recorder,
			       const struct selfmon_traced *traced,
			       uint64_t *least);
/*
 * Call if selfmon_trace_settled() returned UINT64_MAX. After several such
 * calls, skips all unread entries.
 */
void selfmon_trace_unsettled(const struct selfmon_thread *thread,
			     uint64_t least);
/* Writes the ring's unread entries whose numbers are below `to`. */
void selfmon_trace_write_entries(struct selfmon_thread *thread, uint64_t to);

/*
 * Writes the ring's new entries. Returns how full the ring was; 256 means full.
 */
unsigned int selfmon_trace_read_ring(struct selfmon_thread *thread);
/* Reads all rings. Returns how full the fullest ring was; 256 means full. */
unsigned int selfmon_trace_read_rings(void);

#endif
