/* SPDX-License-Identifier: MIT */
/*
 * Three things that a PMU may refuse without being unable to count.
 *
 * User reads, where they have to be asked for (arm64): a counter of 64 bits,
 * else one of 32, else one that only read(2) serves. Drivers say EOPNOTSUPP
 * to the first where only the cycle counter is that wide (kernel
 * drivers/perf/arm_pmuv3.c, __armv8_pmuv3_map_event), and EINVAL where that
 * one is taken by another member of the group (armv8pmu_get_event_idx).
 *
 * To count the guest that a thread may run, which Apple's cannot before Linux
 * 6.15 (drivers/perf/apple_m1_cpu_pmu.c, m1_pmu_set_event_filter): EOPNOTSUPP.
 * It is left out then; of a thread that runs none, that is the same count.
 *
 * To leave out the kernel, which some PMUs cannot (PERF_PMU_CAP_NO_EXCLUDE,
 * riscv64 without Sscofpmf): EINVAL to any exclude bit, exclude_hv alone
 * included. Then both modes are counted if the user did not say :u, and the
 * member is marked so. Who may not count the kernel is refused that by
 * perf_event_paranoid.
 */
#include "counters/attempt.h"

#include <errno.h>
#include <string.h>

void selfmon_attempt_first(struct selfmon_attempt *attempt,
			   const struct selfmon_event *event, uint64_t ask)
{
	attempt->ask = event->flags & SELFMON_EVENT_HARDWARE ? ask : 0;
	attempt->no_guest = false;
	attempt->both_modes = false;
}

/* Without a modifier, or with both, the kernel may come along. */
static bool may_count_both(const struct selfmon_event *event)
{
	const uint32_t modes = SELFMON_EVENT_USER | SELFMON_EVENT_KERNEL;
	const uint32_t asked = event->flags & modes;

	return event->flags & SELFMON_EVENT_HARDWARE &&
	       (asked == 0 || asked == modes);
}

bool selfmon_attempt_next(struct selfmon_attempt *attempt,
			  const struct selfmon_event *event, int error)
{
	if (error != -EOPNOTSUPP && error != -EINVAL)
		return false;
	if (attempt->ask & (attempt->ask - 1)) {
		attempt->ask &= attempt->ask - 1; /* 64 bits: the lowest */
		return true;
	}
	if (attempt->ask) {
		attempt->ask = 0;
		return true;
	}
	if (error == -EOPNOTSUPP && !attempt->no_guest &&
	    event->flags & SELFMON_EVENT_HARDWARE) {
		attempt->no_guest = true;
		return true;
	}
	if (error != -EINVAL || attempt->both_modes || !may_count_both(event))
		return false;
	attempt->both_modes = true;
	return true;
}

void selfmon_attempt_attr(const struct selfmon_attempt *attempt,
			  const struct selfmon_event *event,
			  struct perf_event_attr *attr)
{
	const bool user = event->flags & SELFMON_EVENT_USER;
	const bool kernel = event->flags & SELFMON_EVENT_KERNEL;

	memset(attr, 0, sizeof(*attr));
	attr->type = event->type;
	attr->config = event->config;
	attr->config1 = event->config1 | attempt->ask;
	attr->config2 = event->config2;
	attr->precise_ip = (uint8_t)(event->precise & 3) & 3u;
	if (event->type == PERF_TYPE_BREAKPOINT) {
		attr->bp_type = (uint32_t)event->config;
		attr->config = 0;
	}
	if (attempt->both_modes)
		return;
	attr->exclude_guest = attempt->no_guest;
	attr->exclude_hv = 1;
	attr->exclude_kernel =
		!kernel && !(event->flags & SELFMON_EVENT_KERNEL_FIRED);
	attr->exclude_user = kernel && !user;
}
