/* SPDX-License-Identifier: MIT */
/*
 * Regions and sets with four events. Software events are read by a system call
 * at each end, and compared with bare reads. Hardware counters need a PMU.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <selfmon.h>

#include "../bench.h"
#include "candidate.h"

/*
 * The first of these sets that can be opened is used: the cost of four counters
 * does not depend on their events.
 */
static const char *const hardware[] = {
	"cycles,instructions,branch-misses,cache-misses",
	"cycles,instructions,instructions,instructions",
};

static char no_hardware[48]; /* reason; "": there are four counters */
static struct selfmon_counters *set;
static struct selfmon_snapshot at_begin, at_end;

static NOINLINE void region(uint64_t n)
{
	candidate_visits += n;
	for (; n > 0; n--)
		SELFMON_REGION("counted")
			selfmon_compiler_fence();
}

static NOINLINE void snapshots(uint64_t n)
{
	for (; n > 0; n--) {
		selfmon_counters_begin(set, &at_begin);
		selfmon_counters_end(set, &at_end);
	}
}

static bool has_hardware(void)
{
	return !no_hardware[0];
}

/*
 * Returns 0 or an errno. Opens all events or none, since an incomplete set has
 * another cost.
 */
static int open_set(const char *events)
{
	struct selfmon_failure failure;

	if (selfmon_counters_open(events, SELFMON_COUNTERS_STRICT, &set,
				  &failure) >= 0)
		return 0;
	set = NULL;
	return failure.error;
}

void prepare_software(void)
{
	bench_configure(BENCH_SOFTWARE);
	bench_bare_group_open();
	if (open_set(BENCH_SOFTWARE))
		bench_fail("a software event cannot be counted");
}

/* Explains why four counters cannot be opened. */
static void explain(void)
{
	const int error = open_set("cycles");

	if (set)
		selfmon_counters_close(set);
	set = NULL;
	if (error == ENOENT || error == ENODEV || error == EOPNOTSUPP)
		snprintf(no_hardware, sizeof(no_hardware),
			 "not measured: no PMU");
	else
		snprintf(no_hardware, sizeof(no_hardware), "not measured: %.30s",
			 error ? strerror(error) : "fewer than 4 counters");
}

/*
 * Opens the first set of `hardware` that can be opened. Returns its events, or
 * NULL.
 */
static const char *open_hardware(void)
{
	size_t i;

	for (i = 0; i < sizeof(hardware) / sizeof(hardware[0]); i++)
		if (open_set(hardware[i]) == 0)
			return hardware[i];
	explain();
	return NULL;
}

void prepare_hardware_set(void)
{
	open_hardware();
	bench_configure(NULL);
}

/* Closes the probing set first, since its counters are needed by the region. */
void prepare_hardware(void)
{
	const char *const events = open_hardware();

	if (events)
		selfmon_counters_close(set);
	bench_configure(events);
}

#define READS "two group reads"
#define PAIR "timestamp pair"

const struct candidate candidates_software[] = {
	{ "two bare group read(2), 4 software events", bench_bare_group_reads,
	  1, 1, NULL, NULL, NULL },
	{ "begin + end of a set, 4 software events", snapshots, 1, 1, READS,
	  NULL, NULL },
	{ "region pair, 4 software events", region, 1, 1, READS, NULL, NULL },
	{ NULL, NULL, 0, 0, NULL, NULL, NULL }
};

const struct candidate candidates_hardware_set[] = {
	{ "", bench_bare_timestamps, 1, 1, NULL, NULL, NULL },
	{ "begin + end of a set, 4 hardware counters", snapshots, 1, 1, PAIR,
	  has_hardware, no_hardware },
	{ NULL, NULL, 0, 0, NULL, NULL, NULL }
};

const struct candidate candidates_hardware[] = {
	{ "", bench_bare_timestamps, 1, 1, NULL, NULL, NULL },
	{ "region pair, 4 hardware counters", region, 1, 1, PAIR, has_hardware,
	  no_hardware },
	{ NULL, NULL, 0, 0, NULL, NULL, NULL }
};
