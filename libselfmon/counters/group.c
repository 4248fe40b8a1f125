/* SPDX-License-Identifier: MIT */
#include "counters/group.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "counters/attr_fallback.h"
#include "counters/breakpoints.h"
#include "counters/fd_table.h"
#include "counters/set.h"
#include "event/probe_event.h"
#include "platform/escape.h"
#include "platform/kernel.h"
#include "platform/perf_open.h"

/*
 * Clock events always count both modes, because they ignore the exclude bits
 * (kernel kernel/events/core.c, task_clock_event_read() and
 * cpu_clock_event_read()).
 */
bool selfmon_event_is_clock(const struct selfmon_event *event)
{
	return event->type == PERF_TYPE_SOFTWARE &&
	       (event->config == PERF_COUNT_SW_CPU_CLOCK ||
		event->config == PERF_COUNT_SW_TASK_CLOCK);
}

static void name_failure(struct selfmon_failure *failure,
			 const struct selfmon_member *member)
{
	failure->position = member->event.position;
	selfmon_escape(SELFMON_FOR_TEXT, failure->event, sizeof(failure->event),
		       member->event.name);
}

static void fail(struct selfmon_member *member, enum selfmon_step step,
		 int error, bool grouped)
{
	struct selfmon_failure *failure = &member->failure;

	failure->error = -error;
	failure->step = step;
	failure->kernel_asked =
		member->kernel && !selfmon_event_is_clock(&member->event);
	failure->grouped = grouped;
	name_failure(failure, member);
}

void selfmon_group_refuse(struct selfmon_member *member, int error,
			  const char *why)
{
	fail(member, SELFMON_STEP_POLICY, error, true);
	snprintf(member->failure.message, sizeof(member->failure.message),
		 "%s", why);
}

static void release(struct selfmon_member *member)
{
	if (member->page) {
		selfmon_kernel_unmap_page(member->page);
		selfmon_fd_table_map(-1);
	}
	member->page = NULL;
	if (member->fd_plus_1)
		selfmon_fd_table_close(member->fd_plus_1 - 1, member->id);
	member->fd_plus_1 = 0;
}

/*
 * Returns true if the member's page must be mapped. An event lives as long as
 * its descriptor is open or its page is mapped. Hardware events are read
 * through their pages. Pages of other members would only keep the events alive,
 * and mapping is three quarters of the cost of opening. These pages are
 * therefore mapped only if descriptors are scarce, so that the descriptors can
 * be closed.
 */
static bool wants_page(const struct selfmon_member *member,
		       const struct selfmon_member *leader)
{
	return member->event.flags & SELFMON_EVENT_HARDWARE ||
	       (leader && !selfmon_fd_table_few_fds());
}

static int open_attr(struct perf_event_attr *attr,
		     const struct selfmon_member *member,
		     const struct selfmon_member *leader)
{
	const int group = leader ? leader->fd_plus_1 - 1 : -1;
	const bool keep = !leader || !member->paged;

	if (member->event.config3)
		return selfmon_kernel_perf_open_wide(
			attr, member->event.config3, group, keep);
	return selfmon_kernel_perf_open(attr, group, keep);
}

/*
 * Opens the event with the fallbacks of attr_fallback.c. Returns the
 * descriptor. If all attempts fail, returns the error of the last attempt
 * before the fallback that counts both user and kernel mode.
 */
static int open_event(struct selfmon_member *member,
		      const struct selfmon_member *leader)
{
	char path[SELFMON_EVENT_NAME_SIZE];
	const bool probe = selfmon_probe_event_path(&member->event, path);
	struct selfmon_attr_fallback attempt;
	int error = 0, fd;

	selfmon_attr_fallback_first(&attempt, &member->event,
				    selfmon_kernel_user_read_bits());
	do {
		struct perf_event_attr attr;

		selfmon_attr_fallback_attr(&attempt, &member->event, &attr);
		attr.disabled = !leader;
		if (probe) /* uprobe_path, <linux/perf_event.h> */
			attr.config1 = (uintptr_t)path;
		if (!leader)
			attr.read_format = PERF_FORMAT_GROUP |
					   PERF_FORMAT_ID |
					   PERF_FORMAT_TOTAL_TIME_ENABLED |
					   PERF_FORMAT_TOTAL_TIME_RUNNING;
		fd = open_attr(&attr, member, leader);
		if (!attempt.both_modes)
			error = fd;
	} while (fd < 0 &&
		 selfmon_attr_fallback_next(&attempt, &member->event, fd));
	if (fd < 0)
		return error;
	if (attempt.both_modes)
		member->kernel = true;
	return fd;
}

/*
 * Opens a member in the leader's group; if leader is NULL, opens it as a
 * leader.
 */
static bool open_member(struct selfmon_member *member,
			const struct selfmon_member *leader)
{
	const bool fired = member->event.flags & SELFMON_EVENT_KERNEL_FIRED;
	int fd;

	if (fired && (member->event.flags & SELFMON_EVENT_USER)) {
		selfmon_group_refuse(member, -EINVAL,
		       "happens only in kernel mode: with :u the count is "
		       "always 0. Leave :u out");
		return false;
	}
	member->kernel = fired || selfmon_event_is_clock(&member->event) ||
			 (member->event.flags & SELFMON_EVENT_KERNEL);
	if (selfmon_fd_table_all_fds(&member->failure)) {
		name_failure(&member->failure, member);
		return false;
	}
	member->paged = wants_page(member, leader);
	fd = open_event(member, leader);
	if (fd < 0) {
		fail(member, SELFMON_STEP_OPEN, fd, leader);
		return false;
	}
	if (member->event.type == PERF_TYPE_BREAKPOINT &&
	    !selfmon_breakpoints_count()) {
		selfmon_kernel_close(fd);
		selfmon_group_refuse(member, -EOPNOTSUPP,
				     SELFMON_BREAKPOINTS_SILENT);
		return false;
	}
	member->id = selfmon_fd_table_add(fd);
	member->fd_plus_1 = fd + 1;
	return true;
}

/*
 * If the member wants a page, maps the page. Then closes the descriptor unless
 * the member is the leader, whose group read covers all members. If the mapping
 * fails (RLIMIT_MEMLOCK), the descriptor stays open.
 */
static void map_member(struct selfmon_member *member, bool leader)
{
	struct selfmon_failure *const failure = &member->unmapped;
	int error;

	memset(failure, 0, sizeof(*failure));
	name_failure(failure, member);
	if (!member->paged || selfmon_fd_table_all_maps(failure))
		return;
	error = selfmon_kernel_map_page(member->fd_plus_1 - 1, &member->page);
	failure->error = -error;
	failure->step = SELFMON_STEP_MAP;
	if (error)
		return;
	selfmon_fd_table_map(1);
	if (leader)
		return;
	selfmon_fd_table_drop(member->fd_plus_1 - 1);
	member->fd_plus_1 = 0;
}

/*
 * Layout of the kernel's group read: kernel/events/core.c, perf_read_group().
 */
struct group_data {
	uint64_t count;
	uint64_t enabled_ns;
	uint64_t running_ns;
	struct {
		uint64_t value;
		uint64_t id;
	} member[SELFMON_MAX_COUNTERS];
};

SELFMON_ALWAYS_INLINE int read_group_data(int fd, size_t count, struct group_data *in)
{
	const size_t size = offsetof(struct group_data, member) +
			    count * sizeof(in->member[0]);
	const ssize_t n = selfmon_kernel_read(fd, in, size);

	if (selfmon_unlikely(n < 0))
		return (int)n;
	/* Data of another size or count: the descriptor was reused. */
	return selfmon_likely(n == (ssize_t)size && in->count == count) ? 0
									: -EIO;
}

int selfmon_group_read(int fd, size_t count, struct selfmon_group_read *out)
{
	struct group_data in;
	const int error = read_group_data(fd, count, &in);
	size_t i;

	if (error)
		return error;
	out->enabled_ns = in.enabled_ns;
	out->running_ns = in.running_ns;
	out->leader = in.member[0].id;
	for (i = 0; i < count; i++)
		out->value[i] = in.member[i].value;
	return 0;
}

__attribute__((noinline)) static bool check_leader(struct selfmon_member *leader,
				      uint64_t ticks)
{
	const bool same = leader->fd_plus_1 &&
			  selfmon_fd_table_is(leader->fd_plus_1 - 1,
					      leader->id);

	if (same)
		selfmon_store_once(&leader->looked, ticks);
	else
		selfmon_store_once(&leader->gone, true);
	return same;
}

int selfmon_group_read_own(struct selfmon_member *leader, size_t count,
			   uint64_t ticks, uint64_t trusted, uint64_t *value,
			   struct selfmon_share *times)
{
	struct group_data in;
	size_t i;
	int error;

	/*
	 * An earlier check found that other code had closed the descriptor.
	 * Its number may be reused, and must not be read again.
	 */
	if (selfmon_unlikely(selfmon_load_once(&leader->gone)))
		return -EBADF;
	if (selfmon_unlikely(ticks - selfmon_load_once(&leader->looked) >=
			     trusted) &&
	    !check_leader(leader, ticks))
		return -EBADF;
	error = read_group_data(leader->fd_plus_1 - 1, count, &in);
	if (selfmon_unlikely(error))
		return error;
	/*
	 * If the descriptor was not checked, it may now belong to another group
	 * of the same size.
	 */
	if (selfmon_unlikely(leader->id && in.member[0].id != leader->id)) {
		selfmon_store_once(&leader->gone, true);
		return -EBADF;
	}
	for (i = 0; i < count; i++)
		value[i] = in.member[i].value;
	if (times) {
		times->enabled_ns = in.enabled_ns;
		times->off_ns = in.enabled_ns - in.running_ns;
	}
	return 0;
}

static void swap(struct selfmon_member *a, struct selfmon_member *b)
{
	const struct selfmon_member keep = *a;

	*a = *b;
	*b = keep;
}

bool selfmon_group_drop_broken(struct selfmon_member *member, size_t count)
{
	bool dropped = false;
	size_t i, k;

	for (i = 0; i < count; i++) {
		if (!member[i].failure.error || !member[i].event.group ||
		    member[i].idle)
			continue;
		for (k = 0; k < count; k++) {
			if (member[k].failure.error ||
			    member[k].event.group != member[i].event.group)
				continue;
			selfmon_group_refuse(&member[k], -ECANCELED,
			       "another event of its {} group could not be "
			       "opened");
			dropped = true;
		}
	}
	return dropped;
}

/*
 * Moves dropped members to the end and keeps the order of the others. Returns
 * how many are left.
 */
static size_t sort_dropped(struct selfmon_member *member, size_t count)
{
	size_t left = 0, i, k;

	for (i = 0; i < count; i++) {
		if (member[i].failure.error)
			continue;
		for (k = i; k > left; k--)
			swap(&member[k], &member[k - 1]);
		left++;
	}
	return left;
}

void selfmon_group_release(struct selfmon_member *member, size_t count)
{
	while (count-- > 0)
		release(&member[count]);
}

/* Opens all members that are not dropped, and drops those that fail. */
static void open_members(struct selfmon_member *member, size_t count)
{
	const struct selfmon_member *leader = NULL;
	size_t i;

	for (i = 0; i < count; i++) {
		if (!member[i].failure.error &&
		    open_member(&member[i], leader) && !leader)
			leader = &member[i];
	}
}

/*
 * Reads until the group has been on the PMU, but at most for the time of a few
 * rotations. Returns 0, or -errno of the last read.
 */
static int await_turn(int fd, size_t count, struct selfmon_group_read *now)
{
	uint64_t first = 0;
	int error, i;

	for (i = 0; i < SELFMON_TURN_READS; i++) {
		error = selfmon_group_read(fd, count, now);
		if (error || now->running_ns > 0 || now->enabled_ns == 0)
			return error;
		first = first ? first : now->enabled_ns;
		if (now->enabled_ns - first >= SELFMON_TURN_NS)
			return 0;
	}
	return 0;
}

/*
 * Maps the pages of the group and enables the group. Returns false and drops
 * one member if the group cannot be enabled or read, or does not get onto the
 * PMU. If the thread may run on several core types (roams), does not check
 * whether the group gets onto the PMU.
 */
static bool start_member(struct selfmon_member *member, size_t left)
{
	struct selfmon_group_read now;
	int error;
	size_t i;

	for (i = 0; i < left; i++)
		map_member(&member[i], i == 0);
	error = selfmon_kernel_enable_group(member->fd_plus_1 - 1);
	if (error) {
		fail(member, SELFMON_STEP_ENABLE, error, false);
		return false;
	}
	error = member->roams ? selfmon_group_read(member->fd_plus_1 - 1, left,
						   &now)
			      : await_turn(member->fd_plus_1 - 1, left, &now);
	if (error) {
		fail(member, SELFMON_STEP_READ, error, false);
		return false;
	}
	if (now.running_ns == 0 && now.enabled_ns > 0 && !member->roams) {
		selfmon_group_refuse(&member[left - 1], -EBUSY,
		       "the group opens but never runs: the PMU's counters are "
		       "in use elsewhere");
		return false;
	}
	return true;
}

size_t selfmon_group_open(struct selfmon_member *member, size_t count)
{
	size_t left;

	for (;;) {
		open_members(member, count);
		if (selfmon_group_drop_broken(member, count)) {
			selfmon_group_release(member, count);
			continue;
		}
		left = sort_dropped(member, count);
		if (left == 0 || start_member(member, left))
			return left;
		selfmon_group_release(member, count);
	}
}
