/* SPDX-License-Identifier: MIT */
/*
 * Writes the facts of a live file, with explanations as complete sentences: the
 * process writes them, because the file may be read on another machine.
 */
#define _GNU_SOURCE
#include "session/live_facts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <selfmon/doctor.h>

#include "clock/clock.h"
#include "counters/guard.h"
#include "counters/set.h"
#include "platform/cpu.h"
#include "platform/kernel.h"
#include "session/events_why.h"
#include "session/slow_path.h"
#include "store/calibration.h"
#include "store/config.h"
#include "store/live.h"
#include "store/process.h"

static void copy_text(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%.*s", (int)size - 1, from ? from : "");
}

static void explain_into(char *to, const struct selfmon_failure *failure)
{
	to[0] = '\0';
	if (failure->error)
		selfmon_explain(failure, to, SELFMON_LIVE_REASON);
}

/*
 * Called only once, since each leaf of CPUID causes two exits of a virtual
 * machine.
 */
static void publish_machine(struct selfmon_live_facts *facts,
			 const struct selfmon_process *process)
{
	struct selfmon_cpu cpu;

	selfmon_cpu_identify(&cpu);
	copy_text(facts->cpu, sizeof(facts->cpu), cpu.brand);
	if (cpu.hypervisor)
		copy_text(facts->hypervisor, sizeof(facts->hypervisor),
			  cpu.hypervisor_name[0] ? cpu.hypervisor_name
						 : "a hypervisor");
	selfmon_kernel_release(facts->kernel, sizeof(facts->kernel));
	if (selfmon_kernel_read_file("/proc/sys/kernel/random/boot_id",
				     facts->boot, sizeof(facts->boot)) < 0)
		facts->boot[0] = '\0';
	copy_text(facts->program, sizeof(facts->program),
		  program_invocation_short_name);
	facts->pid = process->pid;
	facts->forked = process->forked;
	facts->begun = (uint64_t)time(NULL);
	facts->start_ticks = process->start_ticks;
}

static void publish_options(struct selfmon_live_facts *facts)
{
	const struct selfmon_config *const config = selfmon_config();

	facts->every = config->every;
	facts->fence = config->fence;
	facts->strict = config->strict;
	facts->guard = config->guard;
	facts->off_cpu = config->off_cpu;
	facts->taken = selfmon_guard_taken();
	facts->notes = config->notes;
	memcpy(facts->note, config->note, sizeof(facts->note));
	copy_text(facts->events, sizeof(facts->events), config->events);
}

static void publish_events(struct selfmon_live_facts *facts,
			const struct selfmon_process *process)
{
	uint32_t i;

	facts->choice = process->choice;
	facts->read_ns = process->read_ns;
	selfmon_events_reason(process, facts->events_reason,
			      sizeof(facts->events_reason));
	selfmon_events_off(process, facts->counters_off,
			   sizeof(facts->counters_off));
	copy_text(facts->read_reason, sizeof(facts->read_reason),
		  process->why_syscall);
	selfmon_slow_path(process, facts->slow_path, sizeof(facts->slow_path));
	facts->columns = process->events[0] ? process->columns : 0;
	for (i = 0; i < facts->columns; i++) {
		const struct selfmon_column *const from = &process->column[i];

		copy_text(facts->column[i].name, sizeof(facts->column[i].name),
			  from->name);
		facts->column[i].verdict = from->verdict;
		facts->column[i].kernel = from->kernel;
		facts->column[i].place = from->place;
		facts->column[i].group = from->group;
		selfmon_column_reason(from, facts->counters_off,
				      facts->column[i].reason,
				      SELFMON_LIVE_REASON);
	}
	for (i = 0; i < SELFMON_LIMITED_COUNT; i++)
		explain_into(facts->limited[i], &process->limited[i].failure);
}

static void publish_sampling(struct selfmon_live_facts *facts,
			     const struct selfmon_sampling *from)
{
	copy_text(facts->sampling.event, sizeof(facts->sampling.event),
		  from->on ? from->event.name : "");
	facts->sampling.period = from->period;
	facts->sampling.asked = from->asked;
	facts->sampling.cost_ticks = from->cost_ticks;
	facts->sampling.frequency = from->frequency;
	facts->sampling.chain = from->chain;
}

/* Writes the copy that is not current, and then makes it the current one. */
void selfmon_facts_publish(struct selfmon_process *process)
{
	struct selfmon_live_header *const header = selfmon_live_header(process);
	struct selfmon_live_facts *facts;
	uint64_t which;

	if (!header)
		return;
	which = header->which == 1 ? 2 : 1;
	facts = &header->facts[which - 1];
	if (header->which)
		memcpy(facts, &header->facts[2 - which], sizeof(*facts));
	else
		publish_machine(facts, process);
	publish_options(facts);
	publish_events(facts, process);
	publish_sampling(facts, &process->sampling);
	facts->calibration = selfmon_calibrated;
	if (!selfmon_clock_without_wait(&facts->clock))
		facts->clock.source = SELFMON_CLOCK_NONE;
	__atomic_store_n(&header->which, which, __ATOMIC_RELEASE);
	selfmon_live_count(process);
}
