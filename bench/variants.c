/* SPDX-License-Identifier: MIT */
/*
 * A region pair with different numbers of events and different options. Each
 * variant is a separate process. All are compared with the bare operation of
 * the first row.
 */
#include <stdio.h>
#include <unistd.h>

#include <selfmon.h>

#include "bench.h"

/* Specifications with 0 to 8 software events. */
static const char *const events_of[] = {
	"none",
	"task-clock",
	"task-clock,page-faults",
	"task-clock,page-faults,minor-faults",
	"task-clock,page-faults,minor-faults,major-faults",
	"task-clock,page-faults,minor-faults,major-faults,alignment-faults",
	"task-clock,page-faults,minor-faults,major-faults,alignment-faults,"
	"emulation-faults",
	"task-clock,page-faults,minor-faults,major-faults,alignment-faults,"
	"emulation-faults,cpu-clock",
	"task-clock,page-faults,minor-faults,major-faults,alignment-faults,"
	"emulation-faults,cpu-clock,context-switches",
};

static void block(uint64_t n)
{
	for (; n > 0; n--)
		SELFMON_REGION("block")
			selfmon_compiler_fence();
}

static void configure(struct selfmon_options *options, const char *events)
{
	options->events = events;
	options->output = NULL;
	if (selfmon_configure(options))
		bench_fail("selfmon_configure");
}

/* judge is the budget, in bare timestamp pairs. 0: the row has no budget. */
static void measure(const char *what, uint64_t n, double judge)
{
	struct bench_operation operation[] = {
		{ "bare timestamp pair", bench_bare_timestamps,
		  bench_effort.visits, 0, -1, NULL, 0, BENCH_INFORM, { 0 } },
		{ what, block, n, 0, 0, "timestamp pair", judge,
		  judge > 0 ? BENCH_RATIO : BENCH_INFORM, { 0 } },
	};

	bench_measure(operation, 2);
}

static void with_events(unsigned int count)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	char what[64];

	snprintf(what, sizeof(what), "region pair, %u software event%s", count,
		 count == 1 ? "" : "s");
	configure(&options, events_of[count]);
	measure(what, bench_effort.visits / (count ? 40 : 1), 0);
}

#define EVENTS_CASE(count)                                                     \
	void bench_case_events_##count(void)                                   \
	{                                                                      \
		with_events(count);                                            \
	}
EVENTS_CASE(0)
EVENTS_CASE(1)
EVENTS_CASE(2)
EVENTS_CASE(3)
EVENTS_CASE(4)
EVENTS_CASE(5)
EVENTS_CASE(6)
EVENTS_CASE(7)
EVENTS_CASE(8)

/*
 * The guard's handler runs only after faults, so visits should cost the same.
 */
void bench_case_guard(void)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.guard = true;
	configure(&options, "none");
	measure("region pair, time only, guarded", bench_effort.visits, 1.25);
}

/*
 * With a live file, the statistics are in the file's pages instead of the
 * process's own memory.
 */
void bench_case_live(void)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	char path[64];

	snprintf(path, sizeof(path), "/tmp/selfmon-bench.%ld", (long)getpid());
	options.live = path;
	configure(&options, "none");
	measure("region pair, time only, live file", bench_effort.visits, 1.25);
	unlink(path);
}

static void one_in_100(const char *events, const char *what)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.every = 100;
	configure(&options, events);
	measure(what, bench_effort.visits, 0);
}

void bench_case_every(void)
{
	one_in_100(BENCH_SOFTWARE,
		   "region pair, 4 software events, one in 100");
}

void bench_case_every_time(void)
{
	one_in_100("none", "region pair, time only, one in 100");
}

void bench_case_fence(void)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.fence = true;
	configure(&options, "none");
	measure("region pair, time only, fenced", bench_effort.visits, 0);
}
