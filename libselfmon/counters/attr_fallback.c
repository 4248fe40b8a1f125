/* SPDX-License-Identifier: MIT */
/*
 * Fallbacks for three attributes of an event that a PMU may refuse although
 * it can count the event.
 *
 * User reads, on machines where they must be requested (arm64): first a 64-bit
 * counter, then a 32-bit one, then an event that only read(2) serves. Drivers
 * return EOPNOTSUPP for a 64-bit counter if only the cycle counter is that wide
 * (kernel drivers/perf/arm_pmuv3.c, __armv8_pmuv3_map_event), and EINVAL if
 * another member of the group has the 64-bit counter (armv8pmu_get_event_idx).
 *
 * Counting a guest that the thread may run. Apple's PMUs cannot count guests
 * before Linux 6.15 (drivers/perf/apple_m1_cpu_pmu.c, m1_pmu_set_event_filter)
 * and return EOPNOTSUPP. The guest is then excluded, which changes nothing for
 * a thread without a guest.
 *
 * Excluding the kernel. Some PMUs cannot (PERF_PMU_CAP_NO_EXCLUDE, riscv64
 * without Sscofpmf) and return EINVAL for any exclude bit, including exclude_hv
 * alone. Both modes are then counted, and the member is marked, unless the user
 * requested only :u or only :k. perf_event_paranoid still refuses kernel counts
 * to users who may not have them.
 */
#include "counters/attr_fallback.h"

#include <errno.h>
#include <string.h>

void selfmon_attr_fallback_first(struct selfmon_attr_fallback *attempt,
				 const struct selfmon_event *event,
				 uint64_t ask)
{
	attempt->ask = event->flags & SELFMON_EVENT_HARDWARE ? ask : 0;
	attempt->no_guest = false;
	attempt->both_modes = false;
}

/*
 * Returns true if a hardware event has neither :u nor :k, or has both, so it
 * may count the kernel too.
 */
static bool may_count_both(const struct selfmon_event *event)
{
	const uint32_t modes = SELFMON_EVENT_USER | SELFMON_EVENT_KERNEL;
	const uint32_t asked = event->flags & modes;

	return event->flags & SELFMON_EVENT_HARDWARE &&
	       (asked == 0 || asked == modes);
}

bool selfmon_attr_fallback_next(struct selfmon_attr_fallback *attempt,
				const struct selfmon_event *event, int error)
{
	if (error != -EOPNOTSUPP && error != -EINVAL)
		return false;
	if (attempt->ask & (attempt->ask - 1)) {
		/* Clears the lowest bit, which requests 64 bits. */
		attempt->ask &= attempt->ask - 1;
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

void selfmon_attr_fallback_attr(const struct selfmon_attr_fallback *attempt,
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
