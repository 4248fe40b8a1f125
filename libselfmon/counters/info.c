/* SPDX-License-Identifier: MIT */
/* Describes the members of counter sets. */
#include <errno.h>
#include <stddef.h>

#include "counters/group.h"
#include "counters/set.h"
#include "platform/kernel.h"

const char *selfmon_verdict_name(enum selfmon_verdict verdict)
{
	static const char *const name[] = {
		[SELFMON_NOT_COUNTED] = "not counted",
		[SELFMON_EXACT] = "exact",
		[SELFMON_SYSCALL] = "syscall",
		[SELFMON_SCALED] = "scaled",
	};

	return (unsigned int)verdict <= SELFMON_SCALED ? name[verdict]
						       : "unknown";
}

/*
 * Size of the struct in version 0.1. Members of later versions are filled in
 * only if the caller's struct has room for them.
 */
#define INFO_SIZE_FIRST                                                        \
	(offsetof(struct selfmon_counter_info, failure) + sizeof(void *))

#define INFO_HAS(info, member)                                                 \
	((info)->size >= offsetof(struct selfmon_counter_info, member) +       \
				 sizeof((info)->member))

/*
 * Returns why member i is not read in user space. Returns NULL if it is read in
 * user space or is not counted. In a set for one thread, also returns NULL for
 * an event that uses no counter of the PMU.
 */
static const char *why_syscall(const struct selfmon_set *set, size_t i)
{
	if (i >= set->head.count)
		return NULL;
	if (set->threads || i < set->head.hardware_count)
		return set->why_syscall;
	return set->member[i].group >= SELFMON_GROUP_MORE
		       ? "events that do not fit into the first group are "
			 "read by system call"
		       : NULL;
}

int selfmon_counters_info(const struct selfmon_counters *counters, size_t i,
			  struct selfmon_counter_info *info)
{
	const struct selfmon_set *set = selfmon_set_of(counters);
	const struct selfmon_member *member;

	if (info->size < INFO_SIZE_FIRST)
		return -EINVAL;
	if (!counters->owner || set->pid != selfmon_kernel_pid())
		return -ESRCH;
	if (i >= set->asked)
		return -ENOENT;
	member = &set->member[i];
	info->name = member->event.name;
	info->position = member->event.position;
	info->kernel = member->kernel;
	info->failure = member->failure.error ? &member->failure : NULL;
	if (info->failure)
		info->verdict = SELFMON_NOT_COUNTED;
	else if (i < counters->hardware_count &&
		 (counters->flags & SELFMON_IMPL_SET_AWHILE ||
		  !(counters->flags & SELFMON_IMPL_SET_SYSCALL)))
		info->verdict = SELFMON_EXACT;
	else
		info->verdict = SELFMON_SYSCALL;
	if (INFO_HAS(info, unit))
		info->unit = selfmon_event_is_clock(&member->event) ? "ns" : "";
	if (INFO_HAS(info, group))
		info->group = member->group;
	if (INFO_HAS(info, why_syscall))
		info->why_syscall = why_syscall(set, i);
	return 0;
}
