/* SPDX-License-Identifier: MIT */
/*
 * Another user of the PMU: events of a debugger or profiler beside those of
 * the library, opened by perf_event_open(2) itself.
 */
#ifndef SELFMON_TESTS_HW_TOOL_H
#define SELFMON_TESTS_HW_TOOL_H

#include <linux/perf_event.h>

#include "hw/hw.h"

/* An event of user mode that counts, switched off. */
void tool_attr(struct perf_event_attr *attr, uint32_t type, uint64_t config);

/*
 * The descriptor. pid 0 and cpu -1: this thread; pid -1: all of a CPU; group
 * -1: a group of its own. Skips where the machine refuses it.
 */
int tool_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group);

/* The same; -errno where it is refused. */
int tool_try(struct perf_event_attr *attr, pid_t pid, int cpu, int group);

void tool_enable(int fd);
void tool_disable(int fd);

/* The count, and the time on the PMU. */
struct tool_count {
	uint64_t value, enabled_ns, running_ns;
};
struct tool_count tool_read(int fd);

/* The event's page. */
const struct selfmon_page *tool_map(int fd);

/* Makes an event's overflow send SIGIO to this thread. */
void tool_signal(int fd, void (*handler)(int));

/*
 * Skips where of several events of instructions not all count, though all are
 * on the PMU: QEMU's riscv64 gives each kind of event to one counter.
 */
void tool_require_twins(void);

/*
 * Skips where of all events that run at once some do not count: a hypervisor
 * offers more counters than it grants. An emulator with one counter for a kind
 * of event is the business of tool_require_twins().
 */
void tool_require_granted(void);

/*
 * An event of instructions that counts from now on and is never off the PMU, to
 * hold what takes turns against. Skips the test where that cannot be.
 */
int tool_open_truth(void);

/* A throw-away machine's limits on samples are lifted; others keep theirs. */
void tool_sample_fast(void);

#endif
