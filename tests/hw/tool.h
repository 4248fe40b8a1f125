/* SPDX-License-Identifier: MIT */
/*
 * Another user of the PMU: events of a debugger or profiler beside those of the
 * library, opened by perf_event_open(2) directly.
 */
#ifndef SELFMON_TESTS_HW_TOOL_H
#define SELFMON_TESTS_HW_TOOL_H

#include <linux/perf_event.h>

#include "hw/hw.h"

/* Describes an event that counts in user mode and is switched off at first. */
void tool_attr(struct perf_event_attr *attr, uint32_t type, uint64_t config);

/*
 * Opens an event and returns its descriptor. pid 0 and cpu -1: this thread. pid
 * -1: everything on a CPU. group -1: in a group of its own. Skips the test if
 * the machine refuses it.
 */
int tool_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group);

/* Like tool_open(), but returns -errno if the machine refuses the event. */
int tool_try(struct perf_event_attr *attr, pid_t pid, int cpu, int group);

void tool_enable(int fd);
void tool_disable(int fd);

/* A count, and the time on the PMU. */
struct tool_count {
	uint64_t value, enabled_ns, running_ns;
};
struct tool_count tool_read(int fd);

/* The event's page. */
const struct selfmon_page *tool_map(int fd);

/* Makes an event's overflow send SIGIO to this thread. */
void tool_signal(int fd, void (*handler)(int));

/*
 * Skips the test if several `instructions` events are on the PMU at once, but
 * some of them stay 0. QEMU's riscv64 does so: it has one counter for each kind
 * of event.
 */
void tool_require_twins(void);

/*
 * Skips the test if not all of the events that are on the PMU at once are
 * counted: a hypervisor offers more counters than it grants. For emulators, see
 * tool_require_twins().
 */
void tool_require_granted(void);

/*
 * Opens an event of instructions that counts from now on and is never off the
 * PMU, to compare rotating events with. Skips the test if that is impossible.
 */
int tool_open_truth(void);

/*
 * Lifts the kernel's limits on the rate of samples, if this machine is an
 * emulated one that only runs tests (hw_guest()).
 */
void tool_sample_fast(void);

#endif
