/* SPDX-License-Identifier: MIT */
/* The frames that a thread marks: see visit/frame_mark.c. */
#ifndef SELFMON_STORE_FRAMES_H
#define SELFMON_STORE_FRAMES_H

#include <string.h>

#include "store/config.h"
#include "store/off_cpu.h"
#include "store/state.h"

/* Number of names that a thread may mark; stated in async.h. */
#define SELFMON_FRAME_NAMES 8u

/*
 * The times off the CPU of the frame that began at `start`, as far as they were
 * read. `end` is 0 while the frame goes on. A mark has set `end` if it reads
 * the rest of these times.
 */
struct selfmon_frame_off {
	uint64_t start, end; /* ticks */
	struct selfmon_off_cpu off;
};

struct selfmon_frame_open {
	const char *name; /* in the memory of the region */
	struct selfmon_node *node;
	uint64_t start; /* time of the last mark, in ticks; 0: none */
	struct selfmon_frame_off off;
};

/*
 * In memory that a forked child finds wiped. Valid only if `owner` is the id of
 * this thread, and if `offs` still equals selfmon_config_offs: regions were not
 * switched off since.
 */
struct selfmon_frames {
	uint64_t owner;
	uint32_t offs;
	uint32_t names;
	struct selfmon_frame_open open[SELFMON_FRAME_NAMES];
};

static inline bool
selfmon_frames_are_valid(const struct selfmon_thread *thread,
			 const struct selfmon_frames *frames)
{
	return frames && frames->owner == thread->id &&
	       frames->offs == selfmon_load_once(&selfmon_config_offs);
}

/*
 * Returns the times off the CPU of the frame that began at `start`, or of
 * another one: of a later frame, if a handler has read the switches since this
 * frame's end; of the frame before, until its mark has read the rest, or, if a
 * handler jumped out of this mark, until the next frame is recorded.
 */
static inline struct selfmon_frame_off *
selfmon_frame_off_of(struct selfmon_frame_open *frame, uint64_t start)
{
	struct selfmon_frame_off *const off = &frame->off;

	if (!off->end && (int64_t)(start - off->start) > 0)
		*off = (struct selfmon_frame_off){ .start = start };
	return off;
}

static inline struct selfmon_frame_open *
selfmon_frame_named(struct selfmon_frames *frames, const char *name)
{
	uint32_t i;

	for (i = 0; i < selfmon_load_once(&frames->names); i++)
		if (!strcmp(frames->open[i].name, name))
			return &frames->open[i];
	return NULL;
}

#endif
