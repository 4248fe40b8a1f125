/* SPDX-License-Identifier: MIT */
/* The label that the program sets for the samples of a thread. */
#include <selfmon/region.h>

#include "session/thread_ring.h"
#include "store/self.h"

/*
 * Reads the ring first, since samples taken before this call must keep the old
 * label.
 */
uint64_t selfmon_label(uint64_t label)
{
	struct selfmon_thread *const thread = selfmon_thread_self();
	struct selfmon_signals signals;
	uint64_t before;

	if (!thread->top || !selfmon_thread_ring_on(thread))
		return 0;
	selfmon_thread_ring_hold(thread, &signals);
	before = thread->ring->samples.label;
	thread->ring->samples.label = label;
	selfmon_thread_ring_release(thread, &signals);
	return before;
}
