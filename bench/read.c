/* SPDX-License-Identifier: MIT */
/*
 * Counter sets without regions: snapshots, deltas, and a page without a
 * counter.
 */
#include <string.h>

#include <selfmon.h>

#include "bench.h"

static struct selfmon_counters *set;
static struct selfmon_snapshot at_begin, at_end;
static struct selfmon_page page_idle; /* index 0, like a software event's */

static void snapshots(uint64_t n)
{
	for (; n > 0; n--) {
		selfmon_counters_begin(set, &at_begin);
		selfmon_counters_end(set, &at_end);
	}
}

static void deltas(uint64_t n)
{
	struct selfmon_delta delta;

	for (; n > 0; n--) {
		selfmon_counters_delta(set, &at_begin, &at_end, &delta);
		bench_keep(&delta);
	}
}

static void page_reads(uint64_t n)
{
	const struct selfmon_page *page = &page_idle;
	uint64_t value = 0;
	uint32_t moved = 0;

	for (; n > 0; n--) {
		bench_keep(page);
		bench_keep((uint64_t)selfmon_page_read(page, 16, &value,
						       &moved));
	}
}

void bench_case_read(void)
{
	const uint64_t n = bench_effort.visits;
	struct bench_operation operation[] = {
		{ "two bare group read(2), 4 software events",
		  bench_bare_group_reads, n / 40, 0, -1, NULL, 0, BENCH_INFORM,
		  { 0 } },
		{ "snapshots begin + end, 4 software events", snapshots, n / 10,
		  0, 0, "two group reads", 0, BENCH_INFORM, { 0 } },
		{ "delta of two snapshots, 4 software events", deltas, n, 0, -1,
		  NULL, 0, BENCH_INFORM, { 0 } },
		{ "page read that finds no counter", page_reads, n * 10, 0, -1,
		  NULL, 0, BENCH_INFORM, { 0 } },
	};

	if (selfmon_counters_open(BENCH_SOFTWARE, 0, &set, NULL) !=
	    BENCH_SOFTWARE_COUNT)
		bench_fail("a software event cannot be counted");
	bench_bare_group_open();
	bench_measure(operation, sizeof(operation) / sizeof(operation[0]));
	selfmon_counters_close(set);
}
