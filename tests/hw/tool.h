/* SPDX-License-Identifier: MIT */
/*
 * Another user of the PMU: events that a debugger or profiler has open besides
 * the library's. They are opened directly by perf_event_open(2).
 */
#ifndef SELFMON_TESTS_HW_TOOL_H
#define SELFMON_TESTS_HW_TOOL_H

#include <linux/perf_event.h>

#include "hw/hw.h"

/* Describes an event that counts user mode and is initially disabled. */
void tool_attr(struct perf_event_attr *attr, uint32_t type, uint64_t config);

/*
 * Opens an event and returns its descriptor. pid 0 and cpu -1 mean this thread,
 * pid -1 everything on a CPU, group -1 a group of its own. Skips the test if
 * the machine refuses the event.
 */
int tool_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group);

/* Like tool_open(), but returns -errno if the machine refuses the event. */
int tool_try(struct perf_event_attr *attr, pid_t pid, int cpu, int group);

void tool_enable(int fd);
void tool_disable(int fd);

struct tool_count {
	uint64_t value, enabled_ns, running_ns;
};
struct tool_count tool_read(int fd);

const struct selfmon_page *tool_map(int fd);

/* Makes overflows of an event send SIGIO to this thread. */
void tool_signal(int fd, void (*handler)(int));

/*
 * Skips the test if several events `instructions` are on the PMU at once, but
 * some of them stay 0. QEMU's riscv64 has this problem: it has one counter for
 * each kind of event.
 */
void tool_require_twins(void);

/*
 * Skips the test if not all events on the PMU are really counted, because a
 * hypervisor offers more counters than it grants. For emulators, see
 * tool_require_twins().
 */
void tool_require_granted(void);

/*
 * Opens an event `instructions` that is never off the PMU, as a reference for
 * rotating events. Skips the test if that is impossible.
 */
int tool_open_truth(void);

/*
 * Removes the kernel's limits on the rate of samples, if this machine is a
 * guest for tests (hw_guest()).
 */
void tool_sample_fast(void);

#endif
