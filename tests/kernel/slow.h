/* SPDX-License-Identifier: MIT */
/*
 * For tests of the slowest visits (SELFMON_RECORD): makes visits that take a
 * known time, and finds recorded visits in a report.
 */
#ifndef TESTS_KERNEL_SLOW_H
#define TESTS_KERNEL_SLOW_H

#include "platform/kernel.h"
#include "report/slow_visits.h"
#include "rows.h"

/* Longer than most delays of a visit on a busy machine. */
#define LONG_NS 10000000
/*
 * Shortest time that a report may show for LONG_NS. In a short process the
 * library's clock is only roughly calibrated, so 2 % less is allowed.
 */
#define LONG_LEAST_NS (LONG_NS - LONG_NS / 50)

static inline struct selfmon_options slow_options(const char *events)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = events;
	options.output = NULL;
	options.record = "slowest";
	return options;
}

static inline void record_with(const char *events)
{
	const struct selfmon_options options = slow_options(events);

	cr_assert_eq(selfmon_configure(&options), 0);
}

static inline void record(void)
{
	record_with("none");
}

/*
 * Uses the CPU for this time. Sleeps instead if the time is at least 0.1 s, so
 * that other tests can use the CPU.
 */
static inline void work_for(uint64_t ns)
{
	const uint64_t end = selfmon_kernel_monotonic_ns() + ns;

	if (ns >= 10 * LONG_NS)
		selfmon_kernel_sleep_ns(ns);
	while (selfmon_kernel_monotonic_ns() < end)
		;
}

static inline void visit(const char *name, uint64_t ns)
{
	struct selfmon_frame frame;

	selfmon_enter(selfmon_region(name), &frame);
	work_for(ns);
	selfmon_leave(&frame);
}

static inline void request(bool slow)
{
	SELFMON_REGION("request") {
		SELFMON_REGION("parse")
			visit("token", 1000);
		SELFMON_REGION("store")
			if (slow)
				work_for(LONG_NS);
	}
}

/*
 * Returns the number of recorded visits of a region, and sets *first to the
 * first of them.
 */
static inline size_t kept(const struct selfmon_report *report, const char *name,
			  const struct selfmon_slow **first)
{
	const struct selfmon_slow_list *const slow = report->slow;
	size_t i, n = 0;

	for (i = 0; slow && i < slow->visits; i++)
		if (!strcmp(slow->visit[i].region, name) && n++ == 0 && first)
			*first = &slow->visit[i];
	return n;
}

static inline const struct selfmon_slow *
slowest(const struct selfmon_report *report, const char *name)
{
	const struct selfmon_slow *first = NULL;

	cr_assert_gt(kept(report, name, &first), 0);
	return first;
}

/*
 * Returns the recorded visit that has a part of this name and of at least this
 * time. The time of the whole visit does not identify it: on a busy machine
 * other visits may take as long.
 */
static inline const struct selfmon_slow *
slow_with(const struct selfmon_report *report, const char *name,
	  const char *part, uint64_t ns)
{
	const struct selfmon_slow *first = NULL;
	const size_t n = kept(report, name, &first);
	size_t i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < first[i].parts; k++)
			if (!strcmp(first[i].part[k].region, part) &&
			    first[i].part[k].ns >= ns)
				return &first[i];
	cr_assert_fail();
	return NULL;
}

#endif
