/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "session/trace_blocks.h"

#include <stdio.h>
#include <string.h>

#include "clock/calibrate.h"
#include "platform/kernel.h"
#include "store/config.h"
#include "store/lock.h"
#include "store/name.h"
#include "store/trace_file.h"

/*
 * Time between two pairs of clock readings, and between two queries of thread
 * names. Even the file of a process that is killed soon needs two pairs.
 */
#define CLOCK_NS 5000000
#define NAMES_NS 1000000000
#define PAIR_TRIES 4

/*
 * State of a region: not seen yet, its name is in the file, or its visits are
 * left out of the file.
 */
enum { REGION_NEW = 0, REGION_WRITTEN, REGION_LEFT_OUT };

struct selfmon_trace selfmon_trace;

void selfmon_trace_note(const char *what, const char *why)
{
	struct selfmon_process *const process = selfmon_process();

	if (!process)
		return;
	selfmon_process_lock(process);
	selfmon_config_note("SELFMON_TRACE=%.*s: %s%s",
			    (int)(selfmon_trace.spec.file_length < 128
					  ? selfmon_trace.spec.file_length
					  : 128),
			    selfmon_config()->trace, what, why);
	selfmon_process_unlock(process);
}

static void end_of_trace(int error)
{
	if (!error || selfmon_trace.error)
		return;
	selfmon_trace.error = error;
	selfmon_trace_note("the file cannot grow; the trace ends: ",
			   strerror(-error));
}

void selfmon_trace_add(const void *bytes)
{
	if (!selfmon_trace.error)
		end_of_trace(selfmon_trace_file_add(bytes));
}

static void write_first_use(void)
{
	struct selfmon_process *const process = selfmon_process_made();
	struct selfmon_trace_first_use first = {
		.block = { SELFMON_TRACE_FIRST_USE, sizeof(first) },
	};

	if (selfmon_trace.has_first_use || !process)
		return;
	selfmon_process_lock(process);
	first.ticks = process->start_ticks;
	selfmon_process_unlock(process);
	if (!first.ticks)
		return;
	selfmon_trace.has_first_use = true;
	selfmon_trace_add(&first);
}

void selfmon_trace_write_clock(void)
{
	struct selfmon_clock_pair pair;
	struct selfmon_trace_clock clock = {
		.block = { SELFMON_TRACE_CLOCK, sizeof(clock) },
	};

	selfmon_clock_pair_take(&pair, PAIR_TRIES);
	clock.ticks = pair.ticks;
	clock.raw_ns = pair.raw_ns;
	clock.real_ns = selfmon_kernel_realtime_ns();
	selfmon_trace.clock_ns = pair.raw_ns;
	selfmon_trace.clocks++;
	selfmon_trace_add(&clock);
	write_first_use();
}

void selfmon_trace_write_due_clock(void)
{
	if (selfmon_trace.clocks < 2 ||
	    selfmon_kernel_monotonic_raw_ns() - selfmon_trace.clock_ns >
		    CLOCK_NS)
		selfmon_trace_write_clock();
}

void selfmon_trace_write_columns(struct selfmon_process *process)
{
	struct selfmon_trace_column column = {
		.block = { SELFMON_TRACE_COLUMN, sizeof(column) },
	};
	uint32_t columns;

	selfmon_process_lock(process);
	columns = process->columns;
	selfmon_process_unlock(process);
	for (; selfmon_trace.columns < columns; selfmon_trace.columns++) {
		column.column = selfmon_trace.columns;
		selfmon_process_lock(process);
		memcpy(column.name, process->column[selfmon_trace.columns].name,
		       sizeof(column.name));
		selfmon_process_unlock(process);
		selfmon_trace_add(&column);
	}
}

void selfmon_trace_write_name(struct selfmon_traced *traced, const char *name)
{
	struct selfmon_trace_thread thread = {
		.block = { SELFMON_TRACE_THREAD, sizeof(thread) },
		.tid = traced->tid,
	};

	if (!*name || !strncmp(name, traced->name, sizeof(thread.name)))
		return;
	memcpy(thread.name, name, sizeof(thread.name));
	memcpy(traced->name, name, sizeof(traced->name));
	selfmon_trace_add(&thread);
}

void selfmon_trace_look_up_name(struct selfmon_traced *traced)
{
	char path[64], name[SELFMON_THREAD_NAME + 1] = "";

	snprintf(path, sizeof(path), "/proc/self/task/%lu/comm",
		 (unsigned long)traced->tid);
	if (selfmon_kernel_read_file(path, name, sizeof(name)) > 0)
		selfmon_trace_write_name(traced, name);
}

void selfmon_trace_owned_by(struct selfmon_traced *traced, uint32_t tid)
{
	if (tid == traced->tid)
		return;
	traced->tid = tid;
	memset(traced->name, 0, sizeof(traced->name));
	selfmon_trace_look_up_name(traced);
}

void selfmon_trace_take_owner(struct selfmon_traced *traced,
			      const struct selfmon_ended *entry)
{
	const uint64_t value = entry->ticks_region >> SELFMON_ENDED_REGION_BITS;

	if (selfmon_ended_region(entry) == SELFMON_ENDED_THREAD) {
		selfmon_trace_owned_by(traced, (uint32_t)value);
	} else if (value == 0) {
		memcpy(traced->ending, &entry->end, sizeof(entry->end));
	} else {
		memcpy(traced->ending + sizeof(entry->end), &entry->end,
		       sizeof(entry->end));
		selfmon_trace_write_name(traced, traced->ending);
	}
}

void selfmon_trace_write_names(struct selfmon_process *process)
{
	struct selfmon_thread *thread =
		__atomic_load_n(&process->threads, __ATOMIC_ACQUIRE);

	selfmon_trace.names_ns = selfmon_kernel_monotonic_raw_ns();
	for (; thread; thread = thread->next)
		if (thread->recorder && thread->recorder->trace &&
		    thread->recorder->trace->tid)
			selfmon_trace_look_up_name(thread->recorder->trace);
}

void selfmon_trace_write_due_names(struct selfmon_process *process)
{
	if (selfmon_kernel_monotonic_raw_ns() - selfmon_trace.names_ns >
	    NAMES_NS)
		selfmon_trace_write_names(process);
}

bool selfmon_trace_has_region(uint32_t id)
{
	const struct selfmon_region *const region = selfmon_name_of(id);

	if (!region || id >= SELFMON_TRACE_REGIONS_MAX)
		return false;
	if (selfmon_trace.region[id] == REGION_NEW) {
		selfmon_trace.region[id] = REGION_WRITTEN;
		if (selfmon_trace.spec.regions && !selfmon_trace.bursts &&
		    regexec(&selfmon_trace.regions, region->site.name, 0, NULL,
			    0))
			selfmon_trace.region[id] = REGION_LEFT_OUT;
		else if (!selfmon_trace.error)
			end_of_trace(selfmon_trace_file_add_region(region));
	}
	return selfmon_trace.region[id] == REGION_WRITTEN;
}
