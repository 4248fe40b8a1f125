/* SPDX-License-Identifier: MIT */
#include "session/trace_owners.h"

#include "session/trace_rings.h"

/*
 * Returns the position of the name's two entries; UINT64_MAX if the ring does
 * not have them. Later entries belong to the next owner.
 */
static uint64_t find_last_name(const struct selfmon_recorder *recorder,
			       uint64_t to)
{
	struct selfmon_ended entry;
	uint64_t i;

	for (i = recorder->trace->read; i + 1 < to; i++) {
		entry = selfmon_trace_entry(recorder, i);
		if (selfmon_ended_region(&entry) == SELFMON_ENDED_NAME)
			return i;
		if (selfmon_ended_region(&entry) == SELFMON_ENDED_THREAD)
			break;
	}
	return UINT64_MAX;
}

/*
 * Returns true if entries after the last burst are overwritten. Then the entry
 * of a new owner may be missing, and a name may be the new owner's.
 */
static bool is_overwritten(const struct selfmon_recorder *recorder)
{
	return selfmon_load_once(&recorder->position) - recorder->trace->read >
	       recorder->mask + 1;
}

void selfmon_trace_take_last_name(const struct selfmon_recorder *recorder)
{
	struct selfmon_traced *const traced = recorder->trace;
	struct selfmon_ended half[2];
	uint64_t least, at;
	const uint64_t to = selfmon_trace_settled(recorder, traced, &least);

	if (!traced->tid || to == UINT64_MAX || is_overwritten(recorder))
		return;
	at = find_last_name(recorder, to);
	if (at == UINT64_MAX)
		return;
	half[0] = selfmon_trace_entry(recorder, at);
	half[1] = selfmon_trace_entry(recorder, at + 1);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (is_overwritten(recorder))
		return;
	selfmon_trace_take_owner(traced, &half[0]);
	selfmon_trace_take_owner(traced, &half[1]);
}
