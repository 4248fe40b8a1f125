/* SPDX-License-Identifier: MIT */
#include "visit/counts.h"

#include "counters/set.h"

void selfmon_add_offsets(const struct selfmon_counters *head,
			unsigned int members, struct selfmon_snapshot *snapshot,
			const uint64_t *offset)
{
	unsigned int i;

	for (i = 0; i < members; i++)
		snapshot->value[i] = offset[i] +
				     selfmon_page_extend(snapshot->value[i],
							 head->shift[i]);
}

void selfmon_start_counts(const struct selfmon_visit *open,
			  struct selfmon_snapshot *start)
{
	const struct selfmon_counters *const head = open->thread->set;

	*start = open->start;
	if (open->known.locks == SELFMON_LOCKS_UNKNOWN)
		return;
	selfmon_add_offsets(head, head->count, start, open->rest.offset);
}
