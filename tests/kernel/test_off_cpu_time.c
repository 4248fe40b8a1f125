/* SPDX-License-Identifier: MIT */
/*
 * Tests @offcpu by two identities: time off the CPU is wall time minus CPU
 * time, and the number of switches is that of getrusage(2).
 */
#define _GNU_SOURCE
#include <sys/resource.h>
#include <time.h>

#include "form.h"
#include "kernel/nobody.h"
#include "rows.h"

struct usage {
	uint64_t wall_ns, cpu_ns, blocked, preempted;
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	cr_assert_eq(clock_gettime(clock, &now), 0);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static struct usage usage_now(void)
{
	struct rusage usage;

	cr_assert_eq(getrusage(RUSAGE_THREAD, &usage), 0);
	return (struct usage){ clock_ns(CLOCK_MONOTONIC_RAW),
			       clock_ns(CLOCK_THREAD_CPUTIME_ID),
			       (uint64_t)usage.ru_nvcsw,
			       (uint64_t)usage.ru_nivcsw };
}

static uint64_t off_ns(const struct usage *usage)
{
	return usage[1].wall_ns - usage[0].wall_ns -
	       (usage[1].cpu_ns - usage[0].cpu_ns);
}

/*
 * The kernel writes the records during the context switch, and counts this work
 * as CPU time. The naps are long, so the microseconds of this work do not
 * matter.
 */
static void sleep_and_work(int naps)
{
	const struct timespec nap = { .tv_nsec = 10000000 };

	for (; naps > 0; naps--) {
		nanosleep(&nap, NULL);
		for (volatile int i = 0; i < 500000; i++)
			;
	}
}

/*
 * outer: just before and just after a region. inner: at the region's begin and
 * end. The region's values must be between the inner and the outer differences.
 */
struct usages {
	struct usage outer[2], inner[2];
};

static struct usages measure(struct selfmon_region *region, int naps)
{
	struct usages usages;

	usages.outer[0] = usage_now();
	SELFMON_REGION_OF(region) {
		usages.inner[0] = usage_now();
		sleep_and_work(naps);
		usages.inner[1] = usage_now();
	}
	usages.outer[1] = usage_now();
	return usages;
}

static void assert_counts(const struct selfmon_row *row,
			  const struct usages *usages)
{
	const struct usage *const o = usages->outer, *const i = usages->inner;
	const uint64_t blocked = row->switches - row->preemptions;

	cr_assert_geq(blocked, i[1].blocked - i[0].blocked);
	cr_assert_leq(blocked, o[1].blocked - o[0].blocked);
	cr_assert_geq(row->preemptions, i[1].preempted - i[0].preempted);
	cr_assert_leq(row->preemptions, o[1].preempted - o[0].preempted);
}

static bool agrees(const struct selfmon_row *row, const struct usages *usages)
{
	const double found = (double)(row->blocked_ns + row->preempted_ns);
	const double least = (double)off_ns(usages->inner);
	const double most = (double)off_ns(usages->outer);

	cr_log_info("%s: off the CPU %.3f ms, wall - CPU %.3f ms (%+.2f %%), "
		    "%llu blocked, %llu preempted; rusage %llu, %llu",
		    row->name, found / 1e6, least / 1e6,
		    100 * (found - least) / least,
		    (unsigned long long)(row->switches - row->preemptions),
		    (unsigned long long)row->preemptions,
		    (unsigned long long)(usages->inner[1].blocked -
					 usages->inner[0].blocked),
		    (unsigned long long)(usages->inner[1].preempted -
					 usages->inner[0].preempted));
	return found >= least * 0.98 && found <= most * 1.02;
}

static bool measured_well(const char *name)
{
	const struct usages usages = measure(selfmon_region(name),
					     by_form(20, 40, 400));
	struct selfmon_report *const report = rows_take();
	const struct selfmon_row *const row = ROWS_GET(report, name);
	bool good;

	rows_check(report);
	assert_counts(row, &usages);
	good = agrees(row, &usages);
	selfmon_report_free(report);
	return good;
}

/*
 * On some kernels, time that a hypervisor took from the thread is neither CPU
 * time nor a switch. So the times need to agree in only one of five
 * measurements. The counts must be right in each.
 */
static void assert_agreement(void)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = "@offcpu";
	options.output = NULL;
	cr_assert_eq(selfmon_configure(&options), 0);
	cr_assert(measured_well("first") || measured_well("second") ||
		  measured_well("third") || measured_well("fourth") ||
		  measured_well("fifth"));
}

Test(off_cpu_time, is_wall_time_less_cpu_time)
{
	assert_agreement();
}

Test(off_cpu_time, is_wall_time_less_cpu_time_for_an_ordinary_user_too)
{
	nobody_become();
	assert_agreement();
}
