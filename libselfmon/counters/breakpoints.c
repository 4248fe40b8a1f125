/* SPDX-License-Identifier: MIT */
/*
 * Measures whether hardware breakpoints count. Under a hypervisor that does not
 * virtualize the CPU's debug registers, a breakpoint opens, but no debug
 * exception arrives. Without the measurement the count would be 0, shown as
 * exact.
 */
#include "counters/breakpoints.h"

#include <linux/perf_event.h>
#include <stdint.h>

#include <selfmon/compiler.h>

#include "platform/cpuid.h"
#include "platform/kernel.h"
#include "platform/perf_open.h"

/* A bp_type of <linux/hw_breakpoint.h>. */
#define ON_STORES 2

int selfmon_breakpoint_try(void)
{
	static volatile uint64_t stored_to;
	struct perf_event_attr attr = { .type = PERF_TYPE_BREAKPOINT,
					.bp_type = ON_STORES,
					.exclude_kernel = 1,
					.exclude_hv = 1 };
	uint64_t count = 0;
	ssize_t size;
	int fd;

	attr.bp_addr = (uint64_t)(uintptr_t)&stored_to;
	attr.bp_len = sizeof(stored_to);
	fd = selfmon_kernel_perf_open(&attr, -1, false);
	if (fd < 0)
		return fd;
	stored_to = 1;
	size = selfmon_kernel_read(fd, &count, sizeof(count));
	selfmon_kernel_close(fd);
	return size < 0 ? (int)size : count > 0;
}

bool selfmon_breakpoints_count(void)
{
	enum { UNKNOWN, COUNT, SILENT };
	static int known = UNKNOWN;
	int result;

	if (selfmon_load_once(&known) != UNKNOWN)
		return selfmon_load_once(&known) == COUNT;
	result = selfmon_cpuid_may_be_virtual() ? selfmon_breakpoint_try() : 1;
	if (result >= 0)
		selfmon_store_once(&known, result ? COUNT : SILENT);
	return result != 0;
}
