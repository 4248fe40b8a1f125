/* SPDX-License-Identifier: MIT */
#include "doctor_probe_reads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/set.h"
#include "platform/kernel.h"

#define COST_READS 64
#define COST_ROUNDS 5

/*
 * Returns the time of a read per counter, in ns. Uses the fastest round, since
 * other programs use the machine, too.
 */
static int64_t read_cost(const struct selfmon_counters *set)
{
	struct selfmon_snapshot snapshot;
	int64_t best = INT64_MAX;
	int round, i;

	for (round = 0; round < COST_ROUNDS; round++) {
		const uint64_t begin = selfmon_kernel_monotonic_raw_ns();
		int64_t cost;

		for (i = 0; i < COST_READS; i++)
			selfmon_counters_begin(set, &snapshot);
		cost = (int64_t)(selfmon_kernel_monotonic_raw_ns() - begin) /
		       (COST_READS * set->hardware_count);
		best = cost < best ? cost : best;
	}
	return best;
}

static bool reads_in_user_space(const struct selfmon_counters *set)
{
	return set->hardware_count > 0 &&
	       !(set->flags & SELFMON_IMPL_SET_SYSCALL);
}

/* Opens a set to find out how the library would read it, without reading it. */
static bool would_read(unsigned int flags, struct doctor_probe *probe)
{
	struct selfmon_counters *set;
	bool would;

	if (selfmon_counters_open("instructions", flags, &set, NULL) < 0)
		return false;
	would = reads_in_user_space(set);
	if (!would && !probe->why_not[0] && selfmon_set_of(set)->why_syscall)
		snprintf(probe->why_not, sizeof(probe->why_not), "%s",
			 selfmon_set_of(set)->why_syscall);
	selfmon_counters_close(set);
	return would;
}

/*
 * Reads a set with the guard. Returns false if a read faults: some hypervisors
 * offer counters although each read faults.
 */
static bool survive_reads(struct doctor_probe *probe)
{
	struct selfmon_counters *set;
	bool faulted = false;

	if (selfmon_counters_open("instructions", SELFMON_COUNTERS_GUARD, &set,
				  NULL) < 0)
		return false;
	if (reads_in_user_space(set))
		probe->read_ns = read_cost(set);
	faulted = set->flags & SELFMON_IMPL_SET_TAKEN;
	selfmon_counters_close(set);
	if (faulted) {
		probe->read_ns = SELFMON_FACT_UNKNOWN;
		snprintf(probe->why_not, sizeof(probe->why_not),
			 "the page offers a counter, and reading it faults");
	}
	return !faulted;
}

/*
 * Tries user reads first without the guard, then with the guard. Sets
 * user_reads if a program with the current SELFMON_GUARD would read in user
 * space.
 */
void doctor_probe_reads(struct doctor_probe *probe)
{
	const char *const guard = getenv("SELFMON_GUARD");
	bool plainly;

	probe->read_ns = SELFMON_FACT_UNKNOWN;
	probe->guarded = guard && !strcmp(guard, "1");
	plainly = would_read(0, probe);
	if (!plainly && !would_read(SELFMON_COUNTERS_GUARD, probe))
		return;
	if (!survive_reads(probe))
		return;
	probe->unsafe = !plainly;
	probe->user_reads = plainly || probe->guarded;
}
