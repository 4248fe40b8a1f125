/* SPDX-License-Identifier: MIT */
/*
 * What an open visit's mark says, to its owner and to other threads. One of
 * these may be leaving it at any time: a mark is loaded once, and what it said
 * holds of that moment.
 */
#ifndef SELFMON_REGION_ENTRY_H
#define SELFMON_REGION_ENTRY_H

#include "region/state.h"

/*
 * With what goes with it: the entry that whoever marked it so has written; or
 * where another thread has left it, that this one has read all it reads of it.
 */
static inline uint64_t selfmon_entry_mark(const struct selfmon_open *open)
{
	return __atomic_load_n(&open->mark, __ATOMIC_ACQUIRE);
}

static inline bool selfmon_entry_is_span(const struct selfmon_open *open)
{
	return selfmon_entry_mark(open) & SELFMON_MARK_SPAN;
}

static inline bool selfmon_entry_is_recorded(const struct selfmon_open *open)
{
	return selfmon_entry_mark(open) & SELFMON_MARK_RECORDED;
}

/* Does this mark stand for a visit that nobody has ended yet? */
static inline bool selfmon_mark_goes_on(uint64_t mark)
{
	return !(mark & SELFMON_MARK_RECORDED) && mark != SELFMON_MARK_LEFT;
}

/* Is this, with the mark that was seen there first, the entry of a frame? */
static inline bool
selfmon_entry_is_marked_for(const struct selfmon_open *open, uint64_t mark,
			    const struct selfmon_frame *frame)
{
	if (!selfmon_mark_goes_on(mark) ||
	    selfmon_load_once(&open->frame) != frame)
		return false;
	return !(mark & SELFMON_MARK_SPAN) || mark == frame->token;
}

static inline bool selfmon_entry_is_of(const struct selfmon_open *open,
				       const struct selfmon_frame *frame)
{
	return selfmon_entry_is_marked_for(open, selfmon_entry_mark(open),
					   frame);
}

#endif
