/* SPDX-License-Identifier: MIT */
/*
 * May the hardware members of a set be read in user space? All, or none: a
 * group is read as one. If none, the reason is kept for the report.
 */
#include <linux/perf_event.h>

#include "counters/set.h"
#include "platform/kernel.h"

/*
 * What can take a counter away under a user read on riscv64. There the read
 * is not a wrong value that the moved lock discards, as it is elsewhere, but
 * SIGILL: a counter may be read while its bit in scounteren is set, and
 * drivers/perf/riscv_pmu_sbi.c of the kernel clears it
 * - when the event leaves its counter (pmu_sbi_ctr_stop). A thread that is
 *   descheduled between the load of index and the read, and comes back on
 *   another counter or on none, reads the one it had. Another tool's event
 *   on this CPU is enough, and so are more events than counters;
 * - on all CPUs where this process runs, when any thread unmaps an event that
 *   is counting (pmu_sbi_event_unmapped): the other threads' events on the
 *   counter of that number lose it too, and their pages do not tell;
 * - when kernel.perf_user_access is written
 *   (riscv_pmu_update_counter_access), and the pages do not tell.
 * Seen on 6.12; see docs/DESIGN.md. The guard (guard.c) answers all three.
 */
static const char *refuse_unsafe(unsigned int flags)
{
	if (!SELFMON_ARCH_USER_READ_UNSAFE ||
	    flags & SELFMON_COUNTERS_UNGUARDED)
		return NULL;
	if (flags & SELFMON_COUNTERS_GUARD && selfmon_guard_check() == 0)
		return NULL;
	return "user reads are unsafe on " SELFMON_ARCH_NAME ": the kernel "
	       "may take a counter away in the middle of one, which kills the "
	       "program (SIGILL). SELFMON_GUARD=1 lets it live";
}

/*
 * Events of the SBI firmware have no register, but their page gives one, with
 * the capability: that of cycles (pmu_sbi_csr_index takes 0xc00 off a CSR
 * number of 0 and keeps eight bits). Bit 63 of a raw event makes it one
 * (pmu_sbi_event_map).
 */
static bool is_firmware(const struct selfmon_event *event)
{
	return SELFMON_ARCH_FIRMWARE_EVENTS && event->type == PERF_TYPE_RAW &&
	       event->config >> 63;
}

static bool is_zero(const char *path)
{
	char text[16];

	return selfmon_kernel_read_file(path, text, sizeof(text)) == 1 &&
	       text[0] == '0';
}

/* Pages without user reads: is there a switch, and is it off? */
static const char *refused_by_kernel(void)
{
	if (is_zero("/proc/sys/kernel/perf_user_access"))
		return "kernel.perf_user_access is 0, so user reads are off. "
		       "As root: sysctl -w kernel.perf_user_access=1";
	if (is_zero("/sys/bus/event_source/devices/cpu_core/rdpmc"))
		return "rdpmc is 0, so user reads are off. As root: echo 1 > "
		       "/sys/bus/event_source/devices/cpu_core/rdpmc";
	if (is_zero("/sys/bus/event_source/devices/cpu/rdpmc"))
		return "rdpmc is 0, so user reads are off. As root: echo 1 > "
		       "/sys/bus/event_source/devices/cpu/rdpmc";
	return "the kernel does not allow user reads of these events";
}

const struct selfmon_failure *selfmon_set_unmapped(const struct selfmon_set *set)
{
	size_t i;

	for (i = 0; i < set->head.hardware_count; i++)
		if (set->member[i].unmapped.error)
			return &set->member[i].unmapped;
	return NULL;
}

/*
 * Intel's PERF_METRICS holds shares of the slots since it was last 0, eight
 * bits each, and each read(2) of such an event sets it and slots to 0 behind
 * the page's back (arch/x86/events/intel/core.c, intel_update_topdown_event):
 * read(2) alone gives counts that go on.
 */
static bool is_share_of_slots(const struct selfmon_page *page)
{
	return selfmon_load_once(&page->index) ==
	       SELFMON_PAGE_PERF_METRICS + 1;
}

/* Does the page show now what it allows? A page that is missing never will. */
static bool look(struct selfmon_member *member)
{
	unsigned int shift;

	if (!member->page || member->shows != SELFMON_PAGE_UNSEEN)
		return true;
	if (is_share_of_slots(member->page)) {
		member->shows = SELFMON_PAGE_SHARE;
	} else if (selfmon_page_check(member->page, &shift)) {
		member->shows = SELFMON_PAGE_USABLE;
		member->shift = (uint8_t)shift;
	}
	return member->shows != SELFMON_PAGE_UNSEEN;
}

static bool look_at_all(struct selfmon_member *member, size_t count)
{
	bool all = true;
	size_t i;

	for (i = 0; i < count; i++)
		all = look(&member[i]) && all;
	return all;
}

/* Time enabled less time running does not move while the group is on the PMU. */
static bool was_on(const struct selfmon_group_read *a,
		   const struct selfmon_group_read *b)
{
	return b->enabled_ns - b->running_ns == a->enabled_ns - a->running_ns;
}

static void refuse_unseen(struct selfmon_member *member, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (member[i].shows == SELFMON_PAGE_UNSEEN)
			member[i].shows = SELFMON_PAGE_REFUSED;
}

void selfmon_group_look(struct selfmon_member *member, size_t count)
{
	struct selfmon_group_read a, b;
	uint64_t first = 0;
	size_t i;
	int fd;

	for (i = 0; i < count; i++)
		member[i].shows = SELFMON_PAGE_UNSEEN;
	if (look_at_all(member, count))
		return;
	fd = member->fd_plus_1 - 1;
	for (i = 0; i < SELFMON_TURN_READS; i++) {
		if (selfmon_group_read(fd, count, &a))
			return;
		first = i ? first : a.enabled_ns;
		if (look_at_all(member, count) ||
		    selfmon_group_read(fd, count, &b))
			return;
		if (was_on(&a, &b)) {
			refuse_unseen(member, count);
			return;
		}
		if (b.enabled_ns - first >= SELFMON_TURN_NS)
			return;
	}
}

/* Why a member is not read in user space; NULL: it is. */
static const char *refused_by_page(const struct selfmon_member *member)
{
	switch (member->shows) {
	case SELFMON_PAGE_USABLE:
		return NULL;
	case SELFMON_PAGE_SHARE:
		return "top-down events have no counter of their own, and are "
		       "read by system call with their group";
	case SELFMON_PAGE_REFUSED:
		return refused_by_kernel();
	case SELFMON_PAGE_UNSEEN:
		break;
	}
	return "other users held the PMU's counters while the events were "
	       "opened";
}

static const char *take_pages(struct selfmon_set *set)
{
	struct selfmon_counters *head = &set->head;
	size_t i;

	for (i = 0; i < head->hardware_count; i++) {
		const struct selfmon_member *member = &set->member[i];
		const char *refused;

		if (!member->page)
			return "the page of an event could not be mapped";
		if (is_firmware(&member->event))
			return "an event of the firmware has no register";
		refused = refused_by_page(member);
		if (refused)
			return refused;
		head->page[i] = member->page;
		head->shift[i] = member->shift;
		if (i == 0)
			head->sign = UINT64_C(1) << (63 - member->shift);
		else if (member->shift != head->shift[0])
			head->sign = 0;
	}
	return NULL;
}

const char *selfmon_set_user_read(struct selfmon_set *set, unsigned int flags)
{
	const char *reason;

	if (flags & SELFMON_COUNTERS_SYSCALL)
		return "system calls were asked for";
	if (set->head.flags & SELFMON_IMPL_SET_UNWIPED)
		return "kernels before 4.14 cannot keep the pages from a "
		       "forked child";
	/*
	 * Between the load of index and the read it may come to a core without
	 * that counter: #GP (Intel SDM, RDPMC).
	 */
	if (set->member[0].roams)
		return "the thread may run on cores of several types, of which "
		       "not all have each counter; pinned to one type, as by "
		       "taskset, it can";
	reason = refuse_unsafe(flags);
	return reason ? reason : take_pages(set);
}

#define COST_READS 16
#define COST_ROUNDS 4
#define COST_ROUNDS_MAX 1000 /* a turn of those that fall back to read(2) */

/* 0: a snapshot fell back to read(2), which says nothing of a user read. */
static uint64_t read_round_ns(const struct selfmon_counters *set)
{
	const uint64_t begin = selfmon_kernel_monotonic_raw_ns();
	struct selfmon_snapshot snapshot;
	uint32_t flags = 0;
	uint64_t ns;
	int i;

	for (i = 0; i < COST_READS; i++) {
		selfmon_counters_begin(set, &snapshot);
		flags |= snapshot.flags;
	}
	ns = selfmon_kernel_monotonic_raw_ns() - begin;
	return flags & SELFMON_SNAPSHOT_SLOW ? 0 : ns;
}

/* The best of some rounds: a context switch in one would make reads dear. */
uint64_t selfmon_set_read_ns(const struct selfmon_counters *set)
{
	uint64_t best = UINT64_MAX;
	int good = 0, i;

	for (i = 0; i < COST_ROUNDS_MAX && good < COST_ROUNDS; i++) {
		const uint64_t ns = read_round_ns(set);

		if (!ns)
			continue;
		best = ns < best ? ns : best;
		good++;
	}
	return good ? best / (COST_READS * (uint64_t)set->hardware_count) : 0;
}
