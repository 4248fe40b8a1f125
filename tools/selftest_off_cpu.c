/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "selftest_off_cpu.h"

#include <string.h>
#include <sys/resource.h>

#include "platform/kernel.h"
#include "selftest_judge_rest.h"
#include "selftest_row.h"
#include "selftest_work.h"
#include "store/process.h"

#define NAP_NS UINT64_C(1000000)

static uint64_t wanted(enum selftest_mode mode)
{
	static const uint64_t naps[] = { [SELFTEST_QUICK] = 20,
					 [SELFTEST_NORMAL] = 100,
					 [SELFTEST_FULL] = 1000 };

	return naps[mode];
}

static SELFTEST_NOINLINE void wait_outside(void)
{
	SELFMON_REGION("naps before")
		selfmon_kernel_sleep_ns(NAP_NS);
}

/*
 * Naps in a region. getrusage(2) is called inside the region, so that it covers
 * only the naps.
 */
static void nap(const struct selftest_case *from, struct selftest_naps *to)
{
	const struct selftest_timer timer = selftest_timer(from, 800);
	const uint64_t naps = wanted(from->mode);
	struct rusage before, after;
	uint64_t began;

	SELFMON_REGION("naps") {
		getrusage(RUSAGE_THREAD, &before);
		began = selftest_now_ns();
		while (to->naps < naps && !selftest_is_over(&timer)) {
			selfmon_kernel_sleep_ns(NAP_NS);
			to->naps++;
		}
		to->most_ns = selftest_now_ns() - began;
		getrusage(RUSAGE_THREAD, &after);
	}
	to->expected = (uint64_t)(after.ru_nvcsw - before.ru_nvcsw);
	to->least_ns = to->naps * NAP_NS;
}

static bool is_recorded(struct selftest_row *row)
{
	const struct selfmon_process *const process = selfmon_process_made();
	const struct selfmon_limited *limited;

	if (!process) {
		selftest_absent(row, "no memory");
		return false;
	}
	limited = &process->limited[SELFMON_LIMITED_OFF_CPU];
	if (!limited->threads)
		return true;
	selftest_explain(&limited->failure, row);
	return false;
}

void selftest_off_cpu(const struct selftest_case *from,
		      struct selftest_row *row)
{
	static const char *const path[] = { "naps" };
	struct selftest_naps naps = { .naps = 0 };
	struct selfmon_report *report;
	const struct selfmon_row *of;

	selftest_pin(-1);
	if (!selftest_configure("@offcpu", row))
		return;
	wait_outside();
	if (!is_recorded(row))
		return;
	nap(from, &naps);
	if (selfmon_report_take(&report)) {
		selftest_absent(row, "no report");
		return;
	}
	of = selfmon_report_find(report, path, 1);
	if (of) {
		naps.blocked = of->switches - of->preemptions;
		naps.blocked_ns = of->blocked_ns;
	}
	selfmon_report_free(report);
	selftest_judge_naps(&naps, row);
	selftest_figure(row, "naps", "", (double)naps.naps);
	selftest_figure(row, "blocked", "", (double)naps.blocked);
	selftest_figure(row, "blocked for", "ns", (double)naps.blocked_ns);
	selftest_say(&row->found, "%.0f naps of 1 ms: blocked %.0f times, "
		     "%.1f ms", (double)naps.naps, (double)naps.blocked,
		     (double)naps.blocked_ns / 1e6);
}
