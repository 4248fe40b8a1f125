/* SPDX-License-Identifier: MIT */
#include "session/slow_path.h"

#include <stdio.h>
#include <string.h>

#include "clock/clock.h"
#include "store/config.h"
#include "store/process.h"

/* Size of the list of names, which leaves room for the rest of the sentence. */
#define NAMES_SIZE 320

static bool is_read_by_call(const struct selfmon_column *column)
{
	return column->verdict == SELFMON_SYSCALL ||
	       column->verdict == SELFMON_SCALED;
}

/* Lists the columns that are read by read(2). Returns their number. */
static uint32_t name_called(const struct selfmon_process *process,
			    char names[NAMES_SIZE])
{
	size_t length = 0;
	uint32_t count = 0, i;

	names[0] = '\0';
	for (i = 0; i < process->counted; i++) {
		const char *const name = process->column[i].name;

		if (!is_read_by_call(&process->column[i]))
			continue;
		count++;
		if (length + strlen(name) + sizeof(", ...") <= NAMES_SIZE)
			length += (size_t)snprintf(names + length,
						   NAMES_SIZE - length,
						   "%s%s", length ? ", " : "",
						   name);
	}
	return count;
}

static void say_calls(const struct selfmon_process *process, char *text,
		      size_t size)
{
	char names[NAMES_SIZE];
	const uint32_t count = name_called(process, names);

	snprintf(text, size, "%s: %u system calls per visit%s. Without %s, "
		 "visits make no system calls", names, process->calls,
		 selfmon_config()->every > 1 ? " that is measured" : "",
		 count == 1 ? "it" : "them");
}

/*
 * Returns why visits take the general path although all reads are in user
 * space, or NULL. With counters, all visits of a thread with a ring take this
 * path: see selfmon_thread_mode().
 */
static const char *general(const struct selfmon_process *process)
{
	const struct selfmon_limited *const without = process->limited;
	const uint64_t threads = process->attached;

	if (process->uneven || !process->counted)
		return process->uneven;
	if (selfmon_config()->off_cpu &&
	    without[SELFMON_LIMITED_OFF_CPU].threads < threads)
		return "@offcpu";
	if (process->sampling.on &&
	    without[SELFMON_LIMITED_SAMPLES].threads < threads)
		return "SELFMON_SAMPLE";
	return NULL;
}

void selfmon_slow_path(const struct selfmon_process *process, char *text,
		       size_t size)
{
	const struct selfmon_config *const config = selfmon_config();

	text[0] = '\0';
	if (process->calls)
		say_calls(process, text, size);
	else if (!selfmon_clock_direct())
		snprintf(text, size, "each visit reads the clock twice through "
			 "the C library");
	else if (config->fence)
		snprintf(text, size, "SELFMON_FENCE: visits take 4 to 6 times "
			 "as many instructions. Unset it for faster visits");
	else if (config->every > 1)
		snprintf(text, size, "SELFMON_EVERY=%u: only counting a visit "
			 "is hardly cheaper than measuring its time. It helps "
			 "with events read by system call", config->every);
	else if (general(process))
		snprintf(text, size, "%s: visits take about 4 times as many "
			 "instructions", general(process));
}
