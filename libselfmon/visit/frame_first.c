/* SPDX-License-Identifier: MIT */
/*
 * The slow path of frame marks, such as a thread's first mark of a name.
 * Compiled for size.
 */
#include "visit/frame_first.h"

#include "session/thread.h"
#include "store/limits.h"
#include "store/lock.h"
#include "store/memory.h"
#include "store/name.h"
#include "store/process.h"
#include "store/self.h"
#include "visit/async.h"
#include "visit/unmeasured.h"

/*
 * Allocates the thread's frames at first use. Later calls discard frames that
 * are no longer valid: regions were switched off since, or an ended thread made
 * the frames, and this thread reuses its state.
 */
static void begin_frames(struct selfmon_thread *thread)
{
	struct selfmon_process *const process = selfmon_process();
	struct selfmon_frames *frames = thread->frames;

	if (!frames) {
		selfmon_process_lock(process);
		frames = selfmon_memory_wiped(sizeof(*frames));
		selfmon_process_unlock(process);
	}
	if (!frames)
		return;
	frames->names = 0;
	frames->offs = selfmon_load_once(&selfmon_config_offs);
	frames->owner = thread->id;
	thread->frames = frames;
}

static void note_names(void)
{
	static bool noted;
	struct selfmon_process *const process = selfmon_process();

	if (__atomic_exchange_n(&noted, true, __ATOMIC_RELAXED))
		return;
	selfmon_process_lock(process);
	selfmon_config_note("a thread marks frames with more than %u names: "
			    "marks with further names are not measured",
			    SELFMON_FRAME_NAMES);
	selfmon_process_unlock(process);
}

static bool frames_have_room(const struct selfmon_frames *frames)
{
	if (frames && frames->names == SELFMON_FRAME_NAMES)
		note_names();
	return frames && frames->names < SELFMON_FRAME_NAMES;
}

/* Searches for the name again, since a handler may have added it meanwhile. */
static struct selfmon_frame_open *add_name(struct selfmon_thread *thread,
					   struct selfmon_node *node)
{
	struct selfmon_frames *const frames = thread->frames;
	const char *const name = selfmon_name_of(node->region)->site.name;
	struct selfmon_frame_open *frame = selfmon_frame_named(frames, name);

	if (frame || !frames_have_room(frames))
		return frame;
	frame = &frames->open[frames->names];
	frame->name = name;
	frame->node = node;
	frame->start = 0;
	frame->off = (struct selfmon_frame_off){ .start = 0 };
	selfmon_store_once(&frames->names, frames->names + 1);
	selfmon_compiler_fence();
	selfmon_limits_lower(thread);
	return frame;
}

static struct selfmon_frame_open *make_frame(struct selfmon_thread *thread,
					     const char *name)
{
	struct selfmon_frame_open *frame = NULL;
	struct selfmon_node *node = NULL;
	struct selfmon_signals signals;
	uint32_t region = 0;

	selfmon_thread_busy(thread, &signals);
	if (!selfmon_frames_are_valid(thread, thread->frames))
		begin_frames(thread);
	if (thread->frames)
		frame = selfmon_frame_named(thread->frames, name);
	if (!frame && frames_have_room(thread->frames))
		region = selfmon_name_register(name, "", 0);
	selfmon_thread_idle(thread, &signals);
	if (region)
		node = selfmon_async_node(thread, region);
	if (node) {
		selfmon_thread_busy(thread, &signals);
		frame = add_name(thread, node);
		selfmon_thread_idle(thread, &signals);
	}
	return frame;
}

struct selfmon_frame_open *selfmon_frame_first(const char *name)
{
	struct selfmon_thread *thread = selfmon_thread_attach();
	struct selfmon_frame_open *frame;

	/* A shared state: see selfmon_enter_any(). */
	if (!thread)
		thread = selfmon_thread_self();
	if (!selfmon_async_can_measure(thread))
		return NULL;
	frame = make_frame(thread, name);
	if (!frame)
		selfmon_visit_not_measured(thread);
	return frame;
}
