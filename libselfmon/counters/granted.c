/* SPDX-License-Identifier: MIT */
/*
 * A hypervisor may offer more counters than it grants. KVM backs each of them
 * with a pinned event on the host (arch/x86/kvm/pmu.c, pmc_reprogram_counter).
 * If the host holds a counter itself, for its NMI watchdog, the last of these
 * events fails, and the guest's counter stands still. The guest's kernel does
 * not know: that event is on the PMU all of the time, and its count is 0.
 *
 * Most events may truly be 0; instructions cannot. So a group is filled with
 * copies of instructions until the kernel refuses, and a loop runs.
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
 * An iteration takes at least one instruction. KVM counts emulated ones: fewer.
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

/* Opens up to `count` copies of user-mode instructions. Returns the number. */
static size_t open_copies(struct selfmon_member *member, size_t count)
{
	size_t i;

	memset(member, 0, count * sizeof(*member));
	for (i = 0; i < count; i++) {
		member[i].event.type = PERF_TYPE_HARDWARE;
		member[i].event.config = PERF_COUNT_HW_INSTRUCTIONS;
		/* Not marked as a hardware event: its page would be mapped. */
		member[i].event.flags = SELFMON_EVENT_USER;
		member[i].roams = true; /* do not wait for its turn */
	}
	return selfmon_group_open(member, count);
}

/*
 * Runs one group, which ends up with *count copies. Returns true if it always
 * ran.
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

/* The NMI watchdog or another user may hold one or two counters. */
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
 * Ignores a grant of one: an emulator may have one counter for all events of
 * one kind (QEMU's riscv64).
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
