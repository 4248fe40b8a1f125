/* SPDX-License-Identifier: MIT */
/* Regions that count four software events: a group read(2) at each end. */
#include <selfmon.h>

#include "bench.h"

static void block(uint64_t n)
{
	for (; n > 0; n--)
		SELFMON_REGION("block")
			selfmon_compiler_fence();
}

static void check(void)
{
	struct selfmon_report *report;
	const struct selfmon_row *row;
	int i;

	if (selfmon_report_take(&report))
		bench_fail("no report");
	row = selfmon_report_row(report, 0);
	for (i = 0; i < BENCH_SOFTWARE_COUNT; i++)
		if (!row || row->counter[i].visits != row->visits)
			bench_fail("a software event was not counted");
	selfmon_report_free(report);
}

void bench_case_software(void)
{
	const uint64_t n = bench_effort.visits / 40;
	struct bench_operation operation[] = {
		{ "two bare group read(2), 4 software events",
		  bench_bare_group_reads, n, 0, -1, NULL, 0, BENCH_INFORM,
		  { 0 } },
		{ "region pair, 4 software events", block, n, 0, 0,
		  "two group reads", 1.15, BENCH_RATIO, { 0 } },
	};

	bench_configure(BENCH_SOFTWARE);
	bench_bare_group_open();
	bench_measure(operation, sizeof(operation) / sizeof(operation[0]));
	check();
}
