/* SPDX-License-Identifier: MIT */
/*
 * Fills in the part of the report above the table: process, machine, time,
 * counters and limits.
 */
#define _GNU_SOURCE
#include "report/header.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <selfmon/doctor.h>

#include "counters/guard.h"
#include "counters/set.h"
#include "platform/cpu.h"
#include "platform/kernel.h"
#include "report/errata.h"
#include "report/model.h"
#include "report/utc.h"
#include "session/events_why.h"
#include "session/slow_path.h"
#include "store/config.h"
#include "store/lock.h"
#include "store/process.h"

static void describe_machine(struct selfmon_report *report,
			     const struct selfmon_cpu *cpu)
{
	snprintf(report->cpu, sizeof(report->cpu), "%s", cpu->brand);
	if (cpu->hypervisor)
		snprintf(report->hypervisor, sizeof(report->hypervisor), "%s",
			 cpu->hypervisor_name[0] ? cpu->hypervisor_name
						: "a hypervisor");
	selfmon_kernel_release(report->kernel, sizeof(report->kernel));
}

static void describe_run(struct selfmon_report *report,
			 const struct selfmon_process *process)
{
	/* Read these first: selfmon_clock() may sleep to measure its rate. */
	const uint64_t cpu_ns = selfmon_kernel_process_cpu_ns();
	const uint64_t ticks = selfmon_clock_ticks();
	const struct selfmon_clock *clock = selfmon_clock();

	snprintf(report->program, sizeof(report->program), "%s",
		 program_invocation_short_name);
	report->pid = (int32_t)selfmon_kernel_pid();
	report->forked = process->forked;
	selfmon_utc_write(report->when, sizeof(report->when),
			   (uint64_t)time(NULL));
	report->start_ticks = process->start_ticks;
	if (process->start_ticks) {
		report->elapsed_ns = (double)selfmon_clock_ns(
			clock, ticks - process->start_ticks);
		report->cpu_ns = cpu_ns - process->start_cpu_ns;
	}
	snprintf(report->clock, sizeof(report->clock), "%s",
		 selfmon_clock_source_name(clock->source));
	report->clock_hz = clock->hz;
	report->clock_error_ppm = clock->error_ppm;
}

static void describe_options(struct selfmon_report *report)
{
	struct selfmon_config *config = selfmon_config();

	report->every = config->every;
	report->fence = config->fence;
	report->strict = config->strict;
	report->guard = config->guard;
	report->off_cpu = config->off_cpu;
	report->guard_gone = config->guard && selfmon_guard_check() == -ESRCH;
	report->taken = selfmon_guard_taken();
	report->notes = config->notes;
	memcpy(report->note, config->note, sizeof(report->note));
}

static void describe_events(struct selfmon_report *report,
			    const struct selfmon_process *process)
{
	uint32_t i;

	report->choice = process->choice;
	selfmon_slow_path(process, report->slow_path,
			  sizeof(report->slow_path));
	report->read_ns = process->read_ns;
	snprintf(report->events, sizeof(report->events), "%.*s",
		 (int)sizeof(report->events) - 1, selfmon_config()->events);
	selfmon_events_reason(process, report->events_reason,
			      sizeof(report->events_reason));
	selfmon_events_off(process, report->counters_off,
			   sizeof(report->counters_off));
	if (!process->events[0])
		return;
	report->columns = process->columns;
	if (process->why_syscall)
		snprintf(report->read_reason, sizeof(report->read_reason), "%s",
			 process->why_syscall);
	for (i = 0; i < process->columns; i++) {
		const struct selfmon_column *from = &process->column[i];
		struct selfmon_report_column *to = &report->column[i];

		memcpy(to->name, from->name, sizeof(to->name));
		to->verdict = from->verdict;
		to->kernel = from->kernel;
		to->place = from->place;
		to->group = from->group;
		selfmon_column_reason(from, report->counters_off, to->reason,
				      sizeof(to->reason));
	}
}

/* Takes the lock, since threads start and exit meanwhile. */
static void describe_threads(struct selfmon_report *report,
			     struct selfmon_process *process)
{
	struct selfmon_limited limited[SELFMON_LIMITED_COUNT];
	size_t i;

	selfmon_process_lock(process);
	report->threads = process->attached;
	report->threads_at_once = process->alive_max;
	report->refused = process->refused;
	memcpy(limited, process->limited, sizeof(limited));
	selfmon_process_unlock(process);
	report->stale = selfmon_load_once(&process->stale);
	for (i = 0; i < SELFMON_LIMITED_COUNT; i++) {
		struct selfmon_report_limited *const to = &report->limited[i];

		to->threads = limited[i].threads;
		if (to->threads)
			selfmon_explain(&limited[i].failure, to->reason,
					sizeof(to->reason));
	}
}

void selfmon_report_header(struct selfmon_report *report,
			   struct selfmon_process *process)
{
	struct selfmon_cpu cpu;

	selfmon_cpu_identify(&cpu);
	describe_machine(report, &cpu);
	describe_threads(report, process);
	describe_run(report, process);
	describe_options(report);
	/*
	 * describe_events() needs the lock, since another thread may be
	 * choosing the events at this moment.
	 */
	selfmon_process_lock(process);
	describe_events(report, process);
	selfmon_process_unlock(process);
	selfmon_errata_find(report, &cpu);
}
