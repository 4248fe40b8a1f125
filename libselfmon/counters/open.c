/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock/clock.h"
#include "clock/page_clock.h"
#include "counters/fd_table.h"
#include "counters/group.h"
#include "counters/grouping.h"
#include "counters/guard.h"
#include "counters/set.h"
#include "counters/threads.h"
#include "counters/user_read.h"
#include "platform/kernel.h"
#include "platform/thread_cpu.h"

#define KNOWN_FLAGS                                                            \
	(SELFMON_COUNTERS_STRICT | SELFMON_COUNTERS_FENCE |                    \
	 SELFMON_COUNTERS_SYSCALL | SELFMON_COUNTERS_UNGUARDED |               \
	 SELFMON_COUNTERS_GUARD | SELFMON_COUNTERS_ONE_GROUP |                 \
	 SELFMON_COUNTERS_SEVERAL)

/*
 * Since Linux 5.15 the times in a page stay correct while its event is off the
 * PMU.
 */
#define KERNEL_FRESH_PAGE_TIMES 5015
/*
 * Used if perf_event_mux_interval_ms cannot be read: 1000 / HZ with HZ = 250.
 */
#define ROTATION_NS 4000000u
#define MUX_INTERVAL_PATH                                                      \
	"/sys/bus/event_source/devices/cpu/perf_event_mux_interval_ms"

/*
 * Allocates memory that the kernel wipes in forked children (MADV_WIPEONFORK,
 * Linux 4.14). On older kernels user reads are disabled, because in a child
 * they would access event pages that are not mapped there. The slow path
 * recognises a child by its process id.
 */
static int set_alloc(struct selfmon_set **set)
{
	void *memory = NULL;
	int error = selfmon_kernel_map_memory(sizeof(**set), true, &memory);
	const bool wiped = error == 0;

	if (error == -EINVAL)
		error = selfmon_kernel_map_memory(sizeof(**set), false,
						  &memory);
	if (error)
		return -ENOMEM;
	*set = memory;
	if (!wiped)
		(*set)->head.flags =
			SELFMON_IMPL_SET_SYSCALL | SELFMON_IMPL_SET_UNWIPED;
	return 0;
}

/*
 * Intel's top-down events are shares of the event `slots`, which must lead
 * their group (kernel arch/x86/events/intel/core.c, intel_pmu_hw_config;
 * tools/perf/Documentation/topdown.txt). All have event code 0: `slots` has
 * unit mask 4, and its shares have unit masks from 80H on. On a PMU where these
 * codes mean something else, only the order of the events changes.
 */
#define CONFIG_SLOTS 0x0400u
#define CONFIG_SHARES 0x8000u

static bool is_topdown_share(const struct selfmon_event *event)
{
	return event->flags & SELFMON_EVENT_HARDWARE &&
	       event->type != PERF_TYPE_HARDWARE &&
	       event->type != PERF_TYPE_HW_CACHE &&
	       (event->config & 0x80ff) == CONFIG_SHARES;
}

static void lead_with_slots(struct selfmon_member *member, size_t count)
{
	bool shares = false;
	size_t slots = 0, i;

	for (i = 0; i < count; i++) {
		shares = shares || is_topdown_share(&member[i].event);
		if (member[i].event.config == CONFIG_SLOTS)
			slots = i;
	}
	for (; shares && slots > 0; slots--) {
		const struct selfmon_event keep = member[slots].event;

		member[slots].event = member[slots - 1].event;
		member[slots - 1].event = keep;
	}
}

/*
 * Fills in the members: hardware events first, then the others, both in the
 * requested order. There are two exceptions: `slots` leads if its shares are
 * requested, and several core types are sorted by type. Returns the number of
 * hardware events.
 */
static size_t set_fill(struct selfmon_set *set,
		       const struct selfmon_events *events)
{
	size_t hardware = 0, k = 0, i;

	for (i = 0; i < events->count; i++)
		if (events->event[i].flags & SELFMON_EVENT_HARDWARE)
			set->member[hardware++].event = events->event[i];
	lead_with_slots(set->member, hardware);
	selfmon_grouping_types(set, hardware);
	for (i = 0; i < events->count; i++)
		if (!(events->event[i].flags & SELFMON_EVENT_HARDWARE))
			set->member[hardware + k++].event = events->event[i];
	for (i = 0; i < events->count; i++)
		set->member[i].column = (uint32_t)i;
	set->asked = (uint32_t)events->count;
	return hardware;
}

static void set_page_clock(struct selfmon_counters *head)
{
	const struct selfmon_page *leader = head->page[0];

	if (!(selfmon_load_once(&leader->capabilities) &
	      SELFMON_PAGE_CAP_USER_TIME) ||
	    selfmon_kernel_version() < KERNEL_FRESH_PAGE_TIMES)
		return;
	head->time_mult = selfmon_load_once(&leader->time_mult);
	head->time_shift = selfmon_load_once(&leader->time_shift);
	selfmon_clock_page_short(leader, &head->time_cycles,
				 &head->time_unused);
	if (head->time_mult && selfmon_clock_direct())
		head->flags |= SELFMON_IMPL_SET_PAGE_CLOCK;
}

/*
 * Returns a tenth of a second in ticks. If the page does not state the tick
 * rate, returns fewer ticks: a tenth of a second at the lowest known rate.
 */
static uint64_t trusted_ticks(const struct selfmon_page *page)
{
	const uint64_t ns = 100000000;
	uint32_t mult = 0;

	if (page && selfmon_load_once(&page->capabilities) &
			    SELFMON_PAGE_CAP_USER_TIME)
		mult = selfmon_load_once(&page->time_mult);
	if (mult && selfmon_load_once(&page->time_shift) <= 32)
		return (ns << selfmon_load_once(&page->time_shift)) / mult;
	return SELFMON_ARCH_TIMESTAMP_HZ_MIN / 10;
}

static uint64_t rotation_ns(void)
{
	char text[32];
	unsigned long ms = 0;

	if (selfmon_kernel_read_file(MUX_INTERVAL_PATH, text, sizeof(text)) > 0)
		ms = strtoul(text, NULL, 10);
	return ms ? (uint64_t)ms * 1000000u : ROTATION_NS;
}

static void set_head(struct selfmon_set *set, unsigned int flags)
{
	struct selfmon_counters *head = &set->head;
	const size_t hardware = head->hardware_count;

	set->pid = selfmon_kernel_pid();
	head->cpu = selfmon_thread_cpu();
	head->max_per_tick = selfmon_clock_max_events_per_tick();
	if (head->count > hardware)
		head->flags |= SELFMON_IMPL_SET_REST;
	if (flags & SELFMON_COUNTERS_FENCE)
		head->flags |= SELFMON_IMPL_SET_FENCE;
	if (flags & SELFMON_COUNTERS_STRICT)
		head->flags |= SELFMON_IMPL_SET_STRICT;
	if (!selfmon_clock_direct())
		head->flags |= SELFMON_IMPL_SET_CLOCK;
	if (set->threads)
		set->why_syscall = selfmon_threads_why(set);
	else if (hardware)
		set->why_syscall = selfmon_set_user_read(set, flags);
	if (hardware == 0 || set->why_syscall)
		head->flags |= SELFMON_IMPL_SET_SYSCALL;
	else
		set_page_clock(head);
	if (hardware)
		head->rotation_ns = rotation_ns();
	set->trusted_ticks = trusted_ticks(set->member[0].page);
	head->owner = selfmon_arch_thread_pointer();
}

static void set_release(struct selfmon_set *set)
{
	selfmon_threads_close(set);
	selfmon_group_release(set->member, set->asked);
	selfmon_kernel_unmap_memory(set, sizeof(*set));
}

/*
 * Returns the failure of the first dropped event in the order of the
 * specification, or NULL. Skips events for cores on which the thread never
 * runs.
 */
static const struct selfmon_failure *
first_failure(const struct selfmon_set *set)
{
	const struct selfmon_failure *first = NULL;
	size_t i;

	for (i = set->head.count; i < set->asked; i++) {
		const struct selfmon_failure *failure = &set->member[i].failure;

		if (set->member[i].idle)
			continue;
		if (!first || failure->position < first->position)
			first = failure;
	}
	return first;
}

static int out_of_memory(struct selfmon_failure *failure)
{
	failure->error = ENOMEM;
	failure->step = SELFMON_STEP_POLICY;
	snprintf(failure->message, sizeof(failure->message),
		 "no memory for a counter set of %zu bytes",
		 sizeof(struct selfmon_set));
	return -ENOMEM;
}

/*
 * Replaces the set's events, which count the calling thread, by events for
 * several threads. The replaced events have shown what fits on the PMU.
 */
static int open_threads(struct selfmon_set *set, unsigned int flags,
			struct selfmon_failure *failure)
{
	struct selfmon_failure why;
	int error;

	if (!(flags & SELFMON_COUNTERS_SEVERAL) || set->head.count == 0)
		return 0;
	error = selfmon_threads_open(set, flags, &why);
	if (error)
		*failure = why;
	return error;
}

/*
 * *failure already has an error if some members of an @set were left out;
 * otherwise its error is 0.
 */
static int set_open(const struct selfmon_events *events, unsigned int flags,
		    struct selfmon_counters **out,
		    struct selfmon_failure *failure)
{
	const struct selfmon_failure *first;
	struct selfmon_set *set;
	size_t asked;
	int error;

	if (set_alloc(&set))
		return out_of_memory(failure);
	if (flags & SELFMON_COUNTERS_SEVERAL)
		set->head.flags |= SELFMON_IMPL_SET_THREADS;
	selfmon_fd_table_begin();
	selfmon_clock_anchor();
	if (flags & SELFMON_COUNTERS_GUARD)
		selfmon_guard_install();
	asked = set_fill(set, events);
	selfmon_grouping_open(set, asked, flags);
	error = open_threads(set, flags, failure);
	if (error) {
		set_release(set);
		return error;
	}
	set_head(set, flags);
	set->left_out = *failure;
	first = first_failure(set);
	if (first)
		*failure = *first;
	if (failure->error && flags & SELFMON_COUNTERS_STRICT) {
		set_release(set);
		return -failure->error;
	}
	*out = &set->head;
	return set->head.count;
}

/* Refuses flags that only later versions know, instead of ignoring them. */
static int refuse_flags(unsigned int unknown, struct selfmon_failure *failure)
{
	failure->error = EINVAL;
	failure->step = SELFMON_STEP_POLICY;
	snprintf(failure->message, sizeof(failure->message),
		 "unknown flags 0x%x: SELFMON_COUNTERS_* are allowed", unknown);
	return -EINVAL;
}

int selfmon_counters_open(const char *spec, unsigned int flags,
			  struct selfmon_counters **set,
			  struct selfmon_failure *failure)
{
	struct selfmon_events events = { .count = 0 };
	struct selfmon_failure unwanted;
	int result;

	if (!failure)
		failure = &unwanted;
	memset(failure, 0, sizeof(*failure));
	*set = NULL;
	if (flags & ~KNOWN_FLAGS)
		return refuse_flags(flags & ~KNOWN_FLAGS, failure);
	if (spec && *spec) {
		result = selfmon_events_parse(spec, &events, failure);
		if (result < 0)
			return result;
	}
	return set_open(&events, flags, set, failure);
}

void selfmon_counters_close(struct selfmon_counters *counters)
{
	struct selfmon_set *set = selfmon_set_of(counters);

	if (!set)
		return;
	if (set->pid != selfmon_kernel_pid()) { /* the set belongs to the
						 * parent process */
		set->asked = 0;
		set->threads = NULL;
	}
	set_release(set);
}
