/* SPDX-License-Identifier: MIT */
/* Tests the facts about the process in a report. */
#include <sys/resource.h>

#include "platform/kernel.h"
#include "report/model.h"
#include "rows.h"

static uint64_t used_ns(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return ((uint64_t)usage.ru_utime.tv_sec +
		(uint64_t)usage.ru_stime.tv_sec) * 1000000000u +
	       ((uint64_t)usage.ru_utime.tv_usec +
		(uint64_t)usage.ru_stime.tv_usec) * 1000u;
}

static void spin(uint64_t ns)
{
	const uint64_t start = selfmon_kernel_process_cpu_ns();

	while (selfmon_kernel_process_cpu_ns() - start < ns)
		;
}

Test(report, has_the_cpu_time_since_the_first_use)
{
	struct selfmon_report *report;
	uint64_t before;

	spin(5000000);
	before = used_ns();
	SELFMON_REGION("work")
		spin(5000000);
	report = rows_take();
	cr_assert_geq(report->cpu_ns, 5000000);
	cr_assert_leq(report->cpu_ns, used_ns() - before + 1000000);
	selfmon_report_free(report);
}
