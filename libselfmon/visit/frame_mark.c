/* SPDX-License-Identifier: MIT */
/*
 * Frames: the time from one mark to the next mark of the same name in a thread.
 *
 * A frame has the node and the statistics of a detached span. It is not an open
 * visit: visits may begin and end independently of marks. A mark takes one
 * timestamp, which ends a frame and starts the next. The start is replaced by a
 * compare-and-swap, which fails if a handler has marked the same name since the
 * old start was read. The handler's mark then counts for both. So frames
 * neither overlap nor leave time out.
 *
 * A start becomes invalid when its thread ends, because another thread takes
 * over the state, and when regions are switched off. Neither event updates the
 * frames. Instead, each mark compares the thread's id, and how often regions
 * were switched off.
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

/*
 * The name of frames without a name. Aligned, since glibc's strcmp(3) takes 21
 * instructions more for a string in the last 128 bytes of a page.
 */
static const char unnamed[] __attribute__((aligned(128))) = "frame";

/* If the thread's mode has one of these bits, a mark takes the slow path. */
#define NOT_AS_USUAL                                                           \
	(SELFMON_MODE_BUSY | SELFMON_MODE_REQUEST | SELFMON_MODE_ASYNC)

/*
 * Reads the kernel's records of context switches, so that the recorder has the
 * times off the CPU in the frame. Returns their sum, or NULL if a handler has
 * read the records since the frame's end, or marked the same name.
 */
static const struct selfmon_off_cpu *
read_switches(struct selfmon_thread *thread, struct selfmon_frame_open *frame,
	      uint64_t start, uint64_t end)
{
	struct selfmon_frame_off *const off =
		selfmon_frame_off_of(frame, start);

	if (off->start != start)
		return NULL;
	off->end = end;
	selfmon_thread_ring_read(thread, UINT64_MAX);
	return off->start == start ? &off->off : NULL;
}

/*
 * Adds the frame that ended to the recorder. If it is longer than a limit of
 * its region, first reads its times off the CPU.
 */
static void record_frame(struct selfmon_thread *thread,
			 struct selfmon_frame_open *frame, uint64_t start,
			 uint64_t ticks)
{
	struct selfmon_recorded_visit visit = { .node = frame->node,
						.start = start,
						.end = start + ticks,
						.ticks = ticks,
						.frame = true };
	struct selfmon_due due;

	if (ticks >= selfmon_load_once(&frame->node->stats->recorded) &&
	    selfmon_thread_ring_on(thread))
		visit.off_cpu = read_switches(thread, frame, start, visit.end);
	selfmon_recorder_add(thread, &visit, &due);
	selfmon_store_once(&frame->off.end, 0);
	selfmon_longer_call(thread, &due);
}

/*
 * Ends a frame that is the longest or shortest so far, is very long
 * (SELFMON_TICKS_LONG), has a negative time, or must be recorded.
 */
static NEVER_INLINE void end_unusual_frame(struct selfmon_frame_open *frame,
					   uint64_t start, uint64_t ticks)
{
	struct selfmon_thread *const thread = selfmon_thread_self();

	selfmon_stats_span(frame->node->stats, ticks, 0, 0);
	if (thread->recorder && (int64_t)ticks >= 0)
		record_frame(thread, frame, start, ticks);
}

static ALWAYS_INLINE void mark(const struct selfmon_thread *thread,
			       struct selfmon_frame_open *frame)
{
	struct selfmon_node *const node = frame->node;
	uint64_t start = selfmon_load_once(&frame->start);
	/* thread->async is NULL if the clock needs a call. */
	const uint64_t now = thread->async ? selfmon_arch_timestamp()
					   : selfmon_clock_ticks();

	if (selfmon_unlikely(!__atomic_compare_exchange_n(
				     &frame->start, &start, now, false,
				     __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
			     !start))
		return;
	selfmon_arch_add(&node->stats->kind[SELFMON_ASYNC_FRAME], 1);
	if (selfmon_unlikely(!selfmon_stats_add_span(node->stats, now - start)))
		end_unusual_frame(frame, start, now - start);
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
		name = unnamed;
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
