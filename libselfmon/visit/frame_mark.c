/* SPDX-License-Identifier: MIT */
/*
 * Frames: the time from one mark to the next of the same name in a thread.
 *
 * A frame has the place and the statistics of a detached span, and no visit is
 * open for it: what the thread has open at a mark does not matter. A mark takes
 * one timestamp, which ends a frame and begins the next. The mark replaces the
 * start by one instruction, which fails if a handler has marked the same name
 * since the start was read. Both marks are then one: the handler's. So frames
 * neither overlap nor leave time out.
 *
 * The starts become invalid when the thread ends, whose state another thread
 * takes over, or when regions are switched off. Neither event has code for it:
 * a mark compares the thread's id, and how often regions were switched off.
 */
#include <selfmon/async.h>

#include "clock/clock.h"
#include "session/thread_ring.h"
#include "store/frames.h"
#include "store/recorder.h"
#include "store/self.h"
#include "store/stats.h"
#include "visit/frame_first.h"
#include "visit/longer.h"
#include "visit/visit.h"

/* Marks in these states take the slow path. */
#define NOT_AS_USUAL                                                           \
	(SELFMON_MODE_BUSY | SELFMON_MODE_REQUEST | SELFMON_MODE_ASYNC)

/*
 * If the frame will be kept, first reads the kernel's records of switches, so
 * that the times off the CPU in it are known.
 */
static void record_frame(struct selfmon_thread *thread,
			 const struct selfmon_node *node, uint64_t start,
			 uint64_t ticks)
{
	struct selfmon_due due;

	if (ticks > selfmon_load_once(node->stats->slow_limit) &&
	    selfmon_thread_ring_on(thread))
		selfmon_thread_ring_read(thread, UINT64_MAX);
	selfmon_recorder_add(thread,
			     &(struct selfmon_recorded_visit){
				     .node = node,
				     .start = start,
				     .end = start + ticks,
				     .ticks = ticks,
				     .frame = true },
			     &due);
	selfmon_longer_call(thread, &due);
}

/* The longest or shortest frame so far, or any that is recorded. */
static NEVER_INLINE void end_unusual_frame(struct selfmon_node *node,
					   uint64_t start, uint64_t ticks)
{
	struct selfmon_thread *const thread = selfmon_thread_self();

	selfmon_stats_span(node->stats, ticks, 0, 0);
	if (thread->recorder && (int64_t)ticks >= 0)
		record_frame(thread, node, start, ticks);
}

static ALWAYS_INLINE void mark(const struct selfmon_thread *thread,
			       struct selfmon_frame_open *frame)
{
	struct selfmon_node *const node = frame->node;
	uint64_t start = selfmon_load_once(&frame->start);
	/* Without the parent of spans, the clock needs a call. */
	const uint64_t now = thread->async ? selfmon_arch_timestamp()
					   : selfmon_clock_ticks();

	if (selfmon_unlikely(!__atomic_compare_exchange_n(
				     &frame->start, &start, now, false,
				     __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
			     !start))
		return;
	selfmon_arch_add(&node->stats->kind[SELFMON_ASYNC_FRAME], 1);
	if (selfmon_unlikely(!selfmon_stats_add_span(node->stats, now - start)))
		end_unusual_frame(node, start, now - start);
}

static NEVER_INLINE void mark_any(const char *name)
{
	struct selfmon_frame_open *const frame = selfmon_frame_first(name);

	if (frame)
		mark(selfmon_thread_self(), frame);
}

void selfmon_frame_mark(const char *name)
{
	struct selfmon_thread *const thread = selfmon_thread_self();
	struct selfmon_frames *const frames = thread->frames;
	struct selfmon_frame_open *frame;

	if (!selfmon_load_once(&selfmon_impl_on))
		return;
	if (!name || !*name)
		name = "frame";
	if (selfmon_unlikely(!selfmon_frames_are_valid(thread, frames) ||
			     selfmon_arch_has(&thread->mode, NOT_AS_USUAL))) {
		mark_any(name);
		return;
	}
	frame = selfmon_frame_named(frames, name);
	if (selfmon_unlikely(!frame)) {
		mark_any(name);
		return;
	}
	mark(thread, frame);
}
