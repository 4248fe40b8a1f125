/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "doctor_probe.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock/clock.h"
#include "counters/attr_fallback.h"
#include "counters/breakpoints.h"
#include "counters/granted.h"
#include "counters/set.h"
#include "doctor_cores.h"
#include "doctor_probe_reads.h"
#include "platform/kernel.h"
#include "platform/perf_open.h"
#include "session/sampling.h"

/* The events of `auto`, as in session/events.c. */
#define AUTO_EVENTS "cycles,instructions,branch-misses,cache-misses"

/* Opens one event by its name. Returns a descriptor, or -errno. */
static int open_event(const char *name, bool *both_modes)
{
	struct selfmon_attr_fallback attempt;
	struct selfmon_events events;
	int fd, error = 0;

	if (selfmon_events_parse(name, &events, NULL) < 0)
		return -EINVAL;
	selfmon_attr_fallback_first(&attempt, &events.event[0],
				    selfmon_kernel_user_read_bits());
	do {
		struct perf_event_attr attr;

		selfmon_attr_fallback_attr(&attempt, &events.event[0], &attr);
		fd = selfmon_kernel_perf_open(&attr, -1, false);
		if (!attempt.both_modes)
			error = fd;
	} while (fd < 0 &&
		 selfmon_attr_fallback_next(&attempt, &events.event[0], fd));
	if (fd >= 0)
		*both_modes = attempt.both_modes;
	return fd < 0 ? error : fd;
}

static int try_event(const char *name)
{
	bool both_modes = false;
	const int fd = open_event(name, &both_modes);

	if (fd < 0)
		return -fd;
	selfmon_kernel_close(fd);
	return 0;
}

static void try_page(int fd, struct doctor_probe *probe)
{
	const struct selfmon_page *page;
	const int error = selfmon_kernel_map_page(fd, &page);

	probe->map = -error;
	if (error)
		return;
	probe->capabilities = selfmon_load_once(&page->capabilities);
	probe->index = selfmon_load_once(&page->index);
	probe->width = selfmon_load_once(&page->pmc_width);
	selfmon_kernel_unmap_page(page);
}

static void try_hardware(struct doctor_probe *probe)
{
	int fd = open_event("instructions", &probe->both_modes);

	probe->hardware = fd < 0 ? -fd : 0;
	if (fd < 0) {
		bool both_modes = false;

		/*
		 * Uses a software event, because there is no hardware event.
		 * Software events have a page, too.
		 */
		fd = open_event("task-clock", &both_modes);
		if (fd < 0)
			return;
		try_page(fd, probe);
		probe->capabilities = 0;
		probe->index = probe->width = 0;
	} else {
		try_page(fd, probe);
	}
	selfmon_kernel_close(fd);
}

/*
 * Returns the reason why the id of a tracepoint cannot be read. ENXIO: tracefs
 * is mounted, but this user may not enter its directories. ENODEV: tracefs is
 * not mounted, so the mount point is an empty directory that any user may
 * enter.
 */
static int why_no_number(const char *path)
{
	char text[32];
	const ssize_t error = selfmon_facts_text("", path, text, sizeof(text));

	return error == -EACCES || error == -EPERM ? ENXIO : ENODEV;
}

static int try_tracepoint(void)
{
	static const char *const path[] = {
		"/sys/kernel/tracing/events/sched/sched_switch/id",
		"/sys/kernel/debug/tracing/events/sched/sched_switch/id",
	};
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
					.exclude_hv = 1 };
	int64_t id = selfmon_facts_number("", path[0]);
	int fd;

	if (id < 0)
		id = selfmon_facts_number("", path[1]);
	if (id < 0)
		return why_no_number(path[0]);
	attr.config = (uint64_t)id;
	fd = selfmon_kernel_perf_open(&attr, -1, false);
	if (fd < 0)
		return -fd;
	selfmon_kernel_close(fd);
	return 0;
}

static void try_breakpoint(struct doctor_probe *probe)
{
	const int result = selfmon_breakpoint_try();

	probe->breakpoint = result < 0 ? -result : 0;
	probe->breakpoint_silent = result == 0;
}

/*
 * Passes a struct that is larger than the kernel's, with a nonzero byte at its
 * end. The kernel refuses the struct with E2BIG and returns the size that it
 * knows (kernel/events/core.c, perf_copy_attr).
 */
static int64_t try_attr_size(void)
{
	union {
		struct perf_event_attr attr;
		unsigned char byte[4096];
	} large;

	memset(&large, 0xff, sizeof(large));
	large.attr.size = sizeof(large);
	if (syscall(SYS_perf_event_open, &large, 0, -1, -1, 0) != -1 ||
	    errno != E2BIG || large.attr.size == sizeof(large))
		return 0;
	return large.attr.size;
}

static int try_wipe(void)
{
	void *memory;
	const int error = selfmon_kernel_map_memory(4096, true, &memory);

	if (!error)
		selfmon_kernel_unmap_memory(memory, 4096);
	return -error;
}

static void try_cores(const struct doctor_machine *machine,
		      struct doctor_probe *probe)
{
	char path[128], name[128];
	size_t i;

	for (i = 0; i < machine->pmus; i++) {
		const char *const pmu = machine->pmu[i].name;
		char terms[16];

		/*
		 * The event is named cpu-cycles on x86 and cpu_cycles on arm64.
		 */
		snprintf(path, sizeof(path),
			 "/sys/bus/event_source/devices/%s/events/cpu_cycles",
			 pmu);
		snprintf(name, sizeof(name), "%s/%s/", pmu,
			 selfmon_facts_text("", path, terms, sizeof(terms)) > 0
				 ? "cpu_cycles"
				 : "cpu-cycles");
		probe->core[i] = try_event(name);
	}
}

static void try_together(struct doctor_probe *probe)
{
	struct selfmon_counters *set;
	struct selfmon_grant grant;

	selfmon_grant_measure(&grant);
	probe->running = (int)grant.running;
	probe->counting = (int)grant.counting;
	probe->together = selfmon_counters_open(AUTO_EVENTS, 0, &set,
						&probe->dropped);
	selfmon_counters_close(set);
}

/* Tries the event that the library chooses for SELFMON_SAMPLE=auto. */
static void try_sampling(struct doctor_probe *probe)
{
	struct selfmon_sampling sampling;

	probe->sample_ns = SELFMON_FACT_UNKNOWN;
	if (!selfmon_sampling_try(&sampling, "cycles:u")) {
		probe->sampled = DOCTOR_SAMPLES_CYCLES;
	} else {
		probe->no_cycles = sampling.failure;
		if (selfmon_sampling_try(&sampling, "task-clock")) {
			probe->no_task_clock = sampling.failure;
			return;
		}
		probe->sampled = DOCTOR_SAMPLES_CLOCK;
	}
	if (sampling.cost_ticks)
		probe->sample_ns = (int64_t)selfmon_clock_ns(
			selfmon_clock(), sampling.cost_ticks);
}

static void try_all(const struct doctor_machine *machine,
		    struct doctor_probe *probe)
{
	probe->map = DOCTOR_UNTRIED;
	probe->software = try_event("page-faults");
	try_hardware(probe);
	probe->kernel_mode = probe->hardware ? try_event("context-switches")
					     : try_event("instructions:k");
	probe->tracepoint = try_tracepoint();
	try_breakpoint(probe);
	probe->attr_size = try_attr_size();
	probe->wipe = try_wipe();
	try_cores(machine, probe);
	try_together(probe);
	doctor_probe_reads(probe);
	try_sampling(probe);
	snprintf(probe->clock, sizeof(probe->clock), "%s",
		 selfmon_clock_source_name(selfmon_clock()->source));
}

/*
 * Makes all probes. If there are several core types, this thread is pinned to
 * one of them meanwhile. Problems that only unpinned threads have are found by
 * checks that need no probe.
 */
void doctor_probe_all(const struct doctor_machine *machine,
		      struct doctor_probe *probe)
{
	const struct doctor_cpus before = doctor_cores_pin(machine);

	memset(probe, 0, sizeof(*probe));
	try_all(machine, probe);
	doctor_cores_unpin(&before);
}
