/* SPDX-License-Identifier: MIT */
#include "counters/user_read.h"

#include <linux/perf_event.h>

#include "counters/group.h"
#include "counters/set.h"
#include "platform/kernel.h"

/*
 * Returns why user reads are unsafe on this machine. Returns NULL if they are
 * safe, guarded, or requested with SELFMON_COUNTERS_UNGUARDED.
 *
 * The kernel may take a counter away between the load of its index and the
 * read. On x86-64 the read then returns a wrong value, which is discarded
 * because the lock has changed. On riscv64 it raises SIGILL: a counter is
 * readable while its bit in scounteren is set. The kernel's
 * drivers/perf/riscv_pmu_sbi.c clears the bit in three cases.
 *
 * 1. The event leaves its counter (pmu_sbi_ctr_stop). A thread may be
 * descheduled between the load of the index and the read, and return with its
 * event on another counter or on none. It then reads the old counter. This
 * happens if another tool has an event on this CPU, or if there are more events
 * than counters.
 *
 * 2. Any thread unmaps an event that is counting (pmu_sbi_event_unmapped). This
 * clears the bit on all CPUs on which the process runs. Events of other threads
 * on the counter with the same number lose their bit too, and their pages do
 * not show the loss.
 *
 * 3. kernel.perf_user_access is written (riscv_pmu_update_counter_access). The
 * pages do not show that the bit was cleared.
 *
 * Observed on 6.12; see docs/DESIGN.md. The guard (guard.c) handles all three.
 */
static const char *refuse_unsafe(unsigned int flags)
{
	if (!SELFMON_ARCH_USER_READ_UNSAFE ||
	    flags & SELFMON_COUNTERS_UNGUARDED)
		return NULL;
	if (flags & SELFMON_COUNTERS_GUARD && selfmon_guard_check() == 0)
		return NULL;
	return "user reads are unsafe on " SELFMON_ARCH_NAME ": the kernel may "
	       "take a counter away during a read, which kills the program "
	       "(SIGILL). To survive that, set SELFMON_GUARD=1";
}

/*
 * Returns true for an event of the SBI firmware. Such an event has no
 * register, but its page allows user reads and has the index of the cycle
 * counter: pmu_sbi_csr_index subtracts 0xc00 from CSR number 0 and keeps eight
 * bits. Bit 63 of a raw event marks a firmware event (pmu_sbi_event_map).
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

/*
 * Returns why the kernel does not allow user reads: the sysctl or the sysfs
 * file that disables them, or a text for an unknown reason.
 */
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
 * Returns true for an event in Intel's PERF_METRICS. That register has eight
 * bits for each event: its share of the slots since the last reset. Each
 * read(2) of such an event resets the register and slots to 0 without an update
 * of the page (arch/x86/events/intel/core.c, intel_update_topdown_event). So
 * only read(2) returns counts that increase.
 */
static bool is_share_of_slots(const struct selfmon_page *page)
{
	return selfmon_load_once(&page->index) ==
	       SELFMON_PAGE_PERF_METRICS + 1;
}

/*
 * Inspects the member's page. Returns true if no further inspection is needed:
 * the page was seen with its event on the PMU, or there is no page.
 */
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

/*
 * Returns true if the group was on the PMU between two reads: its time enabled
 * minus its time running did not change.
 */
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
	return "the PMU's counters were in use elsewhere while the events were "
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
			return "a firmware event has no register to read";
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
		return "system calls were requested";
	if (set->head.flags & SELFMON_IMPL_SET_UNWIPED)
		return "kernels before 4.14 cannot hide event pages from "
		       "forked children";
	/*
	 * Between the load of the index and the read, the thread may move to a
	 * core that lacks the counter. RDPMC then raises #GP (Intel SDM,
	 * RDPMC).
	 */
	if (set->member[0].roams)
		return "the thread may run on several core types, and not all "
		       "have each counter. Pin it to one type, for example by "
		       "taskset";
	reason = refuse_unsafe(flags);
	return reason ? reason : take_pages(set);
}

#define COST_READS 16
#define COST_ROUNDS 4
/* Enough rounds to last longer than one rotation if all of them use read(2). */
#define COST_ROUNDS_MAX 1000

/*
 * Returns the duration of some user reads, or 0 if one of them fell back to
 * read(2).
 */
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

/*
 * Uses the fastest of some rounds, since a context switch makes a round too
 * slow.
 */
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
