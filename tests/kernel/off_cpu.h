/* SPDX-License-Identifier: MIT */
/* For tests of @offcpu: waits, and the kernel's counts of context switches. */
#ifndef TESTS_KERNEL_OFF_CPU_H
#define TESTS_KERNEL_OFF_CPU_H

#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "rows.h"

#define NAP_NS 100000

/* ---- the kernel's counts ------------------------------------------------- */

struct usage {
	uint64_t blocked, preempted;
};

static inline struct usage usage_now(void)
{
	struct rusage usage;

	cr_assert_eq(getrusage(RUSAGE_THREAD, &usage), 0);
	return (struct usage){ (uint64_t)usage.ru_nvcsw,
			       (uint64_t)usage.ru_nivcsw };
}

/*
 * Naps n times, and returns how often the thread was blocked. A nap does not
 * block the thread if its timer fires before the thread sleeps, for example
 * because a hypervisor descheduled the virtual CPU.
 */
static inline uint64_t nap(int n)
{
	const struct timespec time = { .tv_nsec = NAP_NS };
	const uint64_t before = usage_now().blocked;

	for (; n > 0; n--)
		nanosleep(&time, NULL);
	return usage_now().blocked - before;
}

/*
 * outer: just before and just after a region. inner: at the region's begin and
 * end. The region's values must be between the inner and the outer differences.
 */
struct usages {
	struct usage outer[2], inner[2];
};

static inline void assert_between(const struct selfmon_row *row,
				  const struct usages *usages)
{
	const struct usage *const o = usages->outer, *const i = usages->inner;
	const uint64_t blocked = row->switches - row->preemptions;

	cr_assert_geq(row->preemptions, i[1].preempted - i[0].preempted);
	cr_assert_leq(row->preemptions, o[1].preempted - o[0].preempted);
	cr_assert_geq(blocked, i[1].blocked - i[0].blocked);
	cr_assert_leq(blocked, o[1].blocked - o[0].blocked);
}

/* ---- rows ---------------------------------------------------------------- */

static inline struct selfmon_row row_in(const struct selfmon_report *report,
					const char *name)
{
	size_t i;

	for (i = 0; i < selfmon_report_row_count(report); i++)
		if (!strcmp(selfmon_report_row(report, i)->name, name))
			return *selfmon_report_row(report, i);
	cr_assert_fail("no row %s", name);
	return (struct selfmon_row){ 0 };
}

static inline struct selfmon_row row_of(const char *name)
{
	struct selfmon_report *const report = rows_take();
	struct selfmon_row row;

	rows_check(report);
	row = row_in(report, name);
	selfmon_report_free(report);
	return row;
}

static inline uint64_t naps_of(const char *name)
{
	const struct selfmon_row row = row_of(name);

	return row.switches - row.preemptions;
}

#endif
