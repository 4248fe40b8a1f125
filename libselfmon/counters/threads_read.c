/* SPDX-License-Identifier: MIT */
#include "counters/threads_read.h"

#include <string.h>

#include "counters/fd_table.h"
#include "counters/threads.h"
#include "platform/kernel.h"

/* Layout of the kernel's read: kernel/events/core.c, perf_read_one(). */
struct event_data {
	uint64_t value;
	uint64_t enabled_ns;
	uint64_t running_ns;
	uint64_t id;
};

/*
 * Returns false if the event has no descriptor, or if other code closed it; see
 * selfmon_group_read_own().
 */
static bool is_still_held(struct selfmon_task_event *event, uint64_t ticks,
		    uint64_t trusted)
{
	if (selfmon_load_once(&event->gone) || !event->fd_plus_1)
		return false;
	if (ticks - selfmon_load_once(&event->looked) < trusted)
		return true;
	if (!selfmon_fd_table_is(event->fd_plus_1 - 1, event->id)) {
		selfmon_store_once(&event->gone, true);
		return false;
	}
	selfmon_store_once(&event->looked, ticks);
	return true;
}

static bool read_event(struct selfmon_task_event *event, uint64_t ticks,
		       uint64_t trusted, struct event_data *data)
{
	if (!is_still_held(event, ticks, trusted) ||
	    selfmon_kernel_read(event->fd_plus_1 - 1, data, sizeof(*data)) !=
		    (ssize_t)sizeof(*data))
		return false;
	if (event->id && data->id != event->id) {
		selfmon_store_once(&event->gone, true);
		return false;
	}
	return true;
}

/*
 * Returns the sum to which the times of member i are added, or NULL if the
 * member does not lead a hardware group.
 */
static struct selfmon_share *share_of(const struct selfmon_set *set, size_t i,
				      struct selfmon_share *first,
				      struct selfmon_snapshot *snapshot)
{
	const enum selfmon_group group = set->member[i].group;

	if (i > 0 && set->member[i - 1].group == group)
		return NULL;
	if (group == SELFMON_GROUP_FIRST)
		return first;
	return group >= SELFMON_GROUP_MORE
		       ? &snapshot->more[group - SELFMON_GROUP_MORE]
		       : NULL;
}

static uint32_t add_value(struct selfmon_set *set, struct selfmon_task *task,
			  size_t i, uint64_t ticks, uint64_t trusted,
			  struct selfmon_share *first,
			  struct selfmon_snapshot *snapshot)
{
	struct selfmon_share *const share = share_of(set, i, first, snapshot);
	struct event_data data;

	if (!read_event(&task->event[i], ticks, trusted, &data))
		return i < set->head.hardware_count
			       ? SELFMON_SNAPSHOT_LOST_USER
			       : SELFMON_SNAPSHOT_LOST_REST;
	snapshot->value[i] += data.value;
	if (share) {
		share->enabled_ns += data.enabled_ns;
		share->off_ns += data.enabled_ns - data.running_ns;
	}
	return 0;
}

/*
 * Reads the calling thread's hardware events innermost: last at the start of an
 * interval, and first at its end. All reads run in the calling thread, so its
 * events would count every read that came between their own two reads.
 */
uint32_t selfmon_threads_read(struct selfmon_set *set,
			      struct selfmon_snapshot *snapshot, uint64_t ticks,
			      uint64_t trusted, bool end)
{
	struct selfmon_threads *const threads = set->threads;
	struct selfmon_share first = { 0, 0 };
	const size_t count = set->head.count;
	const size_t reads = threads->count * count;
	uint32_t lost = 0;
	size_t n;

	memset(snapshot->value, 0, sizeof(snapshot->value));
	memset(snapshot->more, 0, sizeof(snapshot->more));
	for (n = 0; n < reads; n++) {
		const size_t k = end ? reads - 1 - n : n;
		struct selfmon_task *const task = &threads->thread[k / count];

		if (!task->ended)
			lost |= add_value(set, task, count - 1 - k % count,
					  ticks, trusted, &first, snapshot);
	}
	snapshot->enabled_ns = first.enabled_ns;
	snapshot->off_ns = first.off_ns;
	return lost;
}
