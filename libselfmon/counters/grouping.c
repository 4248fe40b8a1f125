/* SPDX-License-Identifier: MIT */
#include "counters/grouping.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>

#include "counters/granted.h"
#include "counters/group.h"
#include "counters/set.h"
#include "counters/user_read.h"
#include "event/cores.h"
#include "platform/kernel.h"

/*
 * Returns true if the event may fit into another group: it was refused with
 * EINVAL as a member of a group, or its group never got onto the PMU (EBUSY). A
 * leader that fails with EINVAL is an invalid event.
 */
static bool did_not_fit(const struct selfmon_member *member)
{
	const struct selfmon_failure *const failure = &member->failure;

	if (!failure->error || member->final)
		return false;
	if (failure->step == SELFMON_STEP_OPEN)
		return failure->error == EINVAL && failure->grouped;
	return failure->step == SELFMON_STEP_POLICY && failure->error == EBUSY;
}

static bool was_cancelled(const struct selfmon_member *member)
{
	return member->failure.error == ECANCELED && !member->final;
}

/* Members of a {} are tried again only together. */
static bool is_to_be_tried(const struct selfmon_member *member, size_t count,
			   size_t i)
{
	const unsigned int braces = member[i].event.group;
	size_t k;

	if (!did_not_fit(&member[i]) && !was_cancelled(&member[i]))
		return false;
	for (k = 0; braces && k < count; k++)
		if (member[k].event.group == braces &&
		    !did_not_fit(&member[k]) && !was_cancelled(&member[k]))
			return false;
	return true;
}

/*
 * Clears the failures of members that will be tried again. Returns true if
 * there are any.
 */
static bool revive(struct selfmon_member *member, size_t count)
{
	bool again[SELFMON_MAX_COUNTERS];
	bool any = false;
	size_t i;

	for (i = 0; i < count; i++) {
		again[i] = is_to_be_tried(member, count, i);
		any = any || again[i];
	}
	for (i = 0; i < count; i++)
		if (again[i])
			member[i].failure.error = 0;
	return any;
}

/*
 * Called if none of these members could be opened. Gives up the user's {}
 * groups among them: marks their members as not to be tried again. Returns true
 * if there are any.
 */
static bool give_braces_up(struct selfmon_member *member, size_t count)
{
	bool any = false;
	size_t i;

	for (i = 0; i < count; i++) {
		if (!member[i].event.group || member[i].final)
			continue;
		member[i].final = true;
		any = true;
	}
	return any;
}

static void note_group(struct selfmon_member *member, size_t count, int group)
{
	while (count-- > 0)
		member[count].group = (enum selfmon_group)group;
}

/*
 * Opens further groups for the events that did not fit into the first group.
 * Returns how many events these groups have.
 */
static size_t open_more(struct selfmon_counters *head,
			struct selfmon_member *member, size_t count)
{
	size_t first = 0;

	while (head->more < SELFMON_MORE_GROUPS &&
	       revive(member + first, count - first)) {
		const size_t n = selfmon_group_open(member + first,
						    count - first);

		if (n == 0 && !give_braces_up(member + first, count - first))
			break;
		if (n == 0)
			continue;
		note_group(member + first, n, SELFMON_GROUP_MORE + head->more);
		head->more_count[head->more++] = (uint8_t)n;
		first += n;
	}
	return first;
}

static bool takes_turns(unsigned int flags)
{
	return !(flags & (SELFMON_COUNTERS_STRICT |
			  SELFMON_COUNTERS_ONE_GROUP));
}

/*
 * Inspects the pages of the first group, the only one that is read in user
 * space. This happens before further groups are opened, because they would take
 * the PMU from the first group. If the thread may move between core types, no
 * group is read in user space.
 */
static void note_first(struct selfmon_member *member, size_t count)
{
	note_group(member, count, SELFMON_GROUP_FIRST);
	if (count && !member->roams)
		selfmon_group_look(member, count);
}

/*
 * Opens events of several core types, one group for each type. The group of the
 * type on which the thread runs is on the PMU. If the thread is pinned to one
 * type, only this type has a group, which may be read in user space. Otherwise
 * the groups are read by read(2). Events that do not fit into their type's
 * group are dropped: with a second group, time off the PMU could mean either
 * rotation or another core type.
 */
static size_t open_types(struct selfmon_counters *head,
			 struct selfmon_member *member, size_t count,
			 size_t *hardware)
{
	size_t more = 0, first = 0, last;

	*hardware = 0;
	for (; first < count; first = last) {
		const uint8_t core = member[first].core;
		size_t n;

		for (last = first; last < count && member[last].core == core;)
			last++;
		n = selfmon_group_open(member + first, last - first);
		if (*hardware == 0) {
			note_first(member + first, n);
			*hardware = n;
		} else if (n > 0) {
			note_group(member + first, n,
				   SELFMON_GROUP_MORE + head->more);
			head->more_count[head->more++] = (uint8_t)n;
			more += n;
		}
	}
	return more;
}

static void refuse_ungranted(struct selfmon_member *member, size_t granted)
{
	selfmon_group_refuse(member, -EBUSY, "");
	snprintf(member->failure.message, sizeof(member->failure.message),
		 "this PMU counts %zu events at once: the count of a further "
		 "event would stay 0 (the hypervisor's host uses the other "
		 "counters, for example for its NMI watchdog)", granted);
	member->final = true;
}

/*
 * If fewer events really count than the kernel puts on the PMU, opens only that
 * many and no further groups: two groups might be on the PMU at the same time.
 */
static size_t open_granted(struct selfmon_member *member, size_t count,
			   size_t granted)
{
	size_t left, i;

	while ((left = selfmon_group_open(member, count)) > granted) {
		for (i = granted; i < left; i++)
			refuse_ungranted(&member[i], granted);
		selfmon_group_release(member, count);
	}
	for (i = left; granted != SIZE_MAX && i < count; i++)
		if (did_not_fit(&member[i]))
			refuse_ungranted(&member[i], granted);
	return left;
}

static size_t open_turns(struct selfmon_counters *head,
			 struct selfmon_member *member, size_t count,
			 unsigned int flags, size_t *hardware)
{
	const size_t granted = count > 1 ? selfmon_granted() : SIZE_MAX;

	*hardware = open_granted(member, count, granted);
	note_first(member, *hardware);
	if (!takes_turns(flags) || *hardware == 0 || granted != SIZE_MAX)
		return 0;
	return open_more(head, member + *hardware, count - *hardware);
}

/*
 * Prepares another attempt: no event is open now, and members that have failed
 * are not tried again.
 */
static void begin_open(struct selfmon_member *member, size_t count)
{
	size_t i;

	selfmon_group_release(member, count);
	for (i = 0; i < count; i++) {
		member[i].group = SELFMON_GROUP_NONE;
		member[i].final = member[i].failure.error;
	}
}

/*
 * Opens all groups. A {} may have events in several groups. If one of these
 * events fails, the whole {} is dropped, and all groups are opened again
 * without it.
 */
static void open_groups(struct selfmon_set *set, size_t asked,
			unsigned int flags)
{
	struct selfmon_counters *const head = &set->head;
	size_t hardware, rest, more;

	do {
		begin_open(set->member, set->asked);
		head->more = 0;
		more = head->flags & SELFMON_IMPL_SET_CORES
			       ? open_types(head, set->member, asked, &hardware)
			       : open_turns(head, set->member, asked, flags,
					    &hardware);
		rest = selfmon_group_open(set->member + asked,
					  set->asked - asked);
		note_group(set->member + asked, rest, SELFMON_GROUP_KERNEL);
	} while (selfmon_group_drop_broken(set->member, set->asked));
	head->hardware_count = (uint16_t)hardware;
	head->rest = head->more ? 0 : (uint16_t)rest;
	head->count = (uint16_t)(hardware + rest + more);
}

static int rank_of(const struct selfmon_member *member)
{
	return member->group == SELFMON_GROUP_NONE ? SELFMON_MAX_COUNTERS
						   : (int)member->group;
}

/*
 * Sorts the members by group, with uncounted members last. The sort is stable.
 */
static void put_in_order(struct selfmon_member *member, size_t count)
{
	struct selfmon_member keep;
	size_t i, k;

	for (i = 1; i < count; i++) {
		keep = member[i];
		for (k = i; k > 0 && rank_of(&member[k - 1]) > rank_of(&keep);
		     k--)
			member[k] = member[k - 1];
		member[k] = keep;
	}
}

static void settle(struct selfmon_member *member, size_t count,
		   const struct selfmon_cores *cores, bool several)
{
	uint64_t allowed[SELFMON_CORE_WORDS];
	int pinned = -1;
	size_t i;

	if (!several && /* other threads may be pinned to other cores */
	    selfmon_kernel_allowed_cpus(allowed, SELFMON_CORE_WORDS) == 0)
		pinned = selfmon_cores_pinned(cores, allowed);
	for (i = 0; i < count; i++) {
		member[i].roams = pinned < 0;
		member[i].idle = pinned >= 0 && member[i].core != pinned;
		if (member[i].idle)
			selfmon_group_refuse(
				&member[i], -EOPNOTSUPP,
				"this thread is pinned to cores of another "
				"type: the event never counts there");
	}
}

void selfmon_grouping_types(struct selfmon_set *set, size_t count)
{
	struct selfmon_cores room;
	const struct selfmon_cores *const cores = selfmon_cores(&room);
	struct selfmon_event keep;
	size_t i, k;

	if (cores->count == 0 || count == 0)
		return;
	set->head.flags |= SELFMON_IMPL_SET_CORES;
	for (i = 0; i < count; i++) {
		keep = set->member[i].event;
		for (k = i; k > 0 && selfmon_cores_of(cores, &keep) <
					     set->member[k - 1].core; k--) {
			set->member[k].event = set->member[k - 1].event;
			set->member[k].core = set->member[k - 1].core;
		}
		set->member[k].event = keep;
		set->member[k].core = (uint8_t)selfmon_cores_of(cores, &keep);
	}
	settle(set->member, count, cores,
	       set->head.flags & SELFMON_IMPL_SET_THREADS);
}

void selfmon_grouping_open(struct selfmon_set *set, size_t asked,
			   unsigned int flags)
{
	open_groups(set, asked, flags);
	put_in_order(set->member, set->asked);
}
