/* SPDX-License-Identifier: MIT */
/*
 * Measures how many counters of a virtual machine really count. A hypervisor
 * may offer more counters than it can provide. KVM backs each counter of a
 * guest with a pinned event on the host (arch/x86/kvm/pmu.c,
 * pmc_reprogram_counter). If the host itself uses a counter, for its NMI
 * watchdog, the last of these pinned events fails, and the guest's counter
 * stands still. The guest's kernel cannot detect this: the guest's event is on
 * the PMU all the time, and its count stays 0.
 *
 * Most events may truly have a count of 0, but `instructions` cannot. So a
 * group is filled with copies of `instructions` until the kernel refuses more.
 * Then a loop runs, and shows how many copies count.
 */
#include "counters/granted.h"

#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>

#include "counters/group.h"
#include "counters/set.h"
#include "platform/cpuid.h"
#include "platform/kernel.h"

/*
 * Iterations of the loop, and the minimum count of a copy that really counts.
 * An iteration executes several instructions, but KVM does not count the
 * instructions that it emulates.
 */
#define ITERATIONS 1000

static void run_loop(void)
{
	volatile unsigned int i;

	for (i = 0; i < ITERATIONS; i++)
		;
}

static size_t count_moved(const struct selfmon_group_read *now, size_t count)
{
	size_t moved = 0, i;

	for (i = 0; i < count; i++)
		moved += now->value[i] >= ITERATIONS;
	return moved;
}

/*
 * Opens up to `count` copies of the event `instructions`, in user mode. Returns
 * how many were opened.
 */
static size_t open_copies(struct selfmon_member *member, size_t count)
{
	size_t i;

	memset(member, 0, count * sizeof(*member));
	for (i = 0; i < count; i++) {
		member[i].event.type = PERF_TYPE_HARDWARE;
		member[i].event.config = PERF_COUNT_HW_INSTRUCTIONS;
		/*
		 * Leaves the flag for hardware events unset, so that the page
		 * is not mapped.
		 */
		member[i].event.flags = SELFMON_EVENT_USER;
		/*
		 * With `roams` set, the open does not wait until the group is
		 * on the PMU.
		 */
		member[i].roams = true;
	}
	return selfmon_group_open(member, count);
}

/*
 * Opens and runs a group of at most *count copies. Sets *count to the number of
 * copies that opened. Returns true, with *grant filled in, if the group was on
 * the PMU all the time.
 */
static bool try_group(struct selfmon_member *member, size_t *count,
		      struct selfmon_grant *grant)
{
	struct selfmon_group_read now;
	const size_t most = *count;
	bool ran = false;

	*count = open_copies(member, most);
	if (*count == 0)
		return false;
	run_loop();
	if (selfmon_group_read(member[0].fd_plus_1 - 1, *count, &now) == 0)
		ran = now.running_ns > 0 && now.running_ns == now.enabled_ns;
	if (ran) {
		grant->running = *count;
		grant->counting = count_moved(&now, *count);
	}
	selfmon_group_release(member, most);
	return ran;
}

/*
 * Maximum number of groups that are tried. The NMI watchdog or another program
 * may hold one or two counters, so a group that does not run all the time is
 * tried again with one copy less.
 */
#define TRIES 3

void selfmon_grant_measure(struct selfmon_grant *grant)
{
	const size_t size = SELFMON_MAX_COUNTERS * sizeof(struct selfmon_member);
	size_t count = SELFMON_MAX_COUNTERS;
	void *memory = NULL;
	int i;

	memset(grant, 0, sizeof(*grant));
	if (selfmon_kernel_map_memory(size, false, &memory))
		return;
	for (i = 0; i < TRIES && count > 1; i++) {
		if (try_group(memory, &count, grant))
			break;
		grant->beside = true;
		if (count > 0)
			count--;
	}
	selfmon_kernel_unmap_memory(memory, size);
}

/*
 * A result of one counter is ignored, because an emulator may have one counter
 * for all events of one kind (QEMU's riscv64).
 */
static bool is_short(const struct selfmon_grant *grant)
{
	return grant->counting > 1 && grant->counting < grant->running;
}

size_t selfmon_granted(void)
{
	static size_t known; /* 0: not measured yet */
	size_t granted = selfmon_load_once(&known);
	struct selfmon_grant grant = { .running = 0 };

	if (granted)
		return granted;
	if (selfmon_cpuid_may_be_virtual())
		selfmon_grant_measure(&grant);
	granted = is_short(&grant) ? grant.counting : SIZE_MAX;
	if (!is_short(&grant) || !grant.beside)
		selfmon_store_once(&known, granted);
	return granted;
}
