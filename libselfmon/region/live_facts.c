/* SPDX-License-Identifier: MIT */
/*
 * What a live file says above its table, explained where it happened: whoever
 * reads it may be on another machine.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <selfmon/doctor.h>

#include "clock/clock.h"
#include "counters/set.h"
#include "platform/cpu.h"
#include "platform/kernel.h"
#include "region/live.h"

/* Pairs of both clocks are taken no more often than this many ticks apart. */
#define PAIR_TICKS UINT64_C(20000000)
#define PAIR_TRIES 4

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

/* Once: CPUID is two exits of a virtual machine for each leaf. */
static void tell_machine(struct selfmon_live_facts *facts,
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

static void tell_options(struct selfmon_live_facts *facts)
{
	const struct selfmon_config *const config = selfmon_config();

	facts->every = config->every;
	facts->fence = config->fence;
	facts->strict = config->strict;
	facts->guard = config->guard;
	facts->taken = selfmon_guard_taken();
	facts->notes = config->notes;
	memcpy(facts->note, config->note, sizeof(facts->note));
	copy_text(facts->events, sizeof(facts->events), config->events);
}

static void tell_events(struct selfmon_live_facts *facts,
			const struct selfmon_process *process)
{
	uint32_t i;

	facts->choice = process->choice;
	facts->read_ns = process->read_ns;
	selfmon_events_reason(process, facts->events_reason,
			      sizeof(facts->events_reason));
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
		explain_into(facts->column[i].reason, &from->failure);
	}
	for (i = 0; i < SELFMON_LIMITED_COUNT; i++)
		explain_into(facts->limited[i], &process->limited[i].failure);
}

static void tell_cost(struct selfmon_live_facts *facts)
{
	const struct selfmon_calibration *const known = selfmon_calibration();

	facts->calibration = *known;
}

/* Into the copy that is not in use, which is then the one that is. */
void selfmon_live_tell_to(struct selfmon_live_header *header,
			  struct selfmon_process *process)
{
	const uint64_t which = header->which == 1 ? 2 : 1;
	struct selfmon_live_facts *const facts = &header->facts[which - 1];

	if (header->which)
		memcpy(facts, &header->facts[2 - which], sizeof(*facts));
	else
		tell_machine(facts, process);
	tell_options(facts);
	tell_events(facts, process);
	tell_cost(facts);
	if (!selfmon_clock_without_wait(&facts->clock))
		facts->clock.source = SELFMON_CLOCK_NONE;
	__atomic_store_n(&header->which, which, __ATOMIC_RELEASE);
	selfmon_live_tell_time(header);
}

/*
 * Where the clock is to be calibrated, it is told by two moments as far apart
 * as can be had: the first, and one of now and then.
 */
void selfmon_live_tell_time(struct selfmon_live_header *header)
{
	const uint64_t pairs = header->pairs;
	const uint64_t newest = pairs ? (pairs - 1) % 2 + 1 : 0;

	if (!pairs)
		selfmon_clock_first_pair(&header->pair[0]);
	else if (pairs > 1 && selfmon_clock_ticks() -
			      header->pair[newest].ticks < PAIR_TICKS)
		return;
	else
		selfmon_clock_pair_take(&header->pair[pairs % 2 + 1],
					PAIR_TRIES);
	__atomic_store_n(&header->pairs, pairs + 1, __ATOMIC_RELEASE);
}
