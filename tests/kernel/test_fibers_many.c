/* SPDX-License-Identifier: MIT */
/*
 * Tests the memory of fibers: 10,000 at the same time, each with open visits.
 */
#define _GNU_SOURCE
#include <stdio.h>

#include "kernel/holdings.h"
#include "report/model.h"
#include "rows.h"
#include "sanitizer.h"

#define FIBERS 10000
#define KIB_MAX (10000000 / 1024)
#define CHUNK_KIB 1024 /* size of the chunks that the library allocates */

static struct selfmon_fiber *fiber[FIBERS];
static struct selfmon_frame frame[FIBERS];
static struct selfmon_region *region;
static const struct selfmon_unit *unit;

/* Returns the size of the private memory that has been written. */
static size_t resident_kib(void)
{
	FILE *file = fopen("/proc/self/smaps_rollup", "re");
	size_t kib = 0;
	char line[128];

	cr_assert_not_null(file);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "Anonymous: %zu kB", &kib) == 1)
			break;
	fclose(file);
	cr_assert_gt(kib, 0);
	return kib;
}

static void begin(int i, uint64_t rows)
{
	fiber[i] = selfmon_fiber_create("job");
	cr_assert_not_null(fiber[i]);
	selfmon_fiber_switch(fiber[i]);
	selfmon_enter(region, &frame[i]);
	if (rows)
		selfmon_region_count(unit, rows);
	selfmon_fiber_switch(NULL);
}

static void end(int i)
{
	selfmon_fiber_switch(fiber[i]);
	selfmon_leave(&frame[i]);
	selfmon_fiber_switch(NULL);
	selfmon_fiber_destroy(fiber[i]);
}

static void begin_all(uint64_t rows)
{
	int i;

	for (i = 0; i < FIBERS; i++)
		begin(i, rows);
}

static void end_all(void)
{
	int i;

	for (i = 0; i < FIBERS; i++)
		end(i);
}

/*
 * After this, only fibers need more memory, because the test has already
 * written all of its own memory.
 */
static void warm(uint64_t rows)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = "none";
	cr_assert_eq(selfmon_configure(&options), 0);
	unit = selfmon_unit("rows");
	region = selfmon_region("request");
	memset(fiber, 1, sizeof(fiber));
	memset(frame, 1, sizeof(frame));
	memset(frame, 0, sizeof(frame));
	resident_kib();
	holdings_kib();
	begin(0, rows);
	end(0);
}

static void expect(uint64_t ended, uint64_t open, uint64_t rows)
{
	struct selfmon_report *const report = rows_take();
	const struct selfmon_row *const own = ROWS_GET(report, "job");
	const struct selfmon_row *const row = ROWS_GET(report, "job",
						       "request");

	cr_assert_eq(own->visits, ended);
	cr_assert_eq(own->open, open);
	cr_assert_eq(row->visits, ended);
	cr_assert_eq(row->open, open);
	cr_assert_eq(row->suspended, ended);
	cr_assert_eq(row->cut_off + row->overlapped + row->lost, 0);
	cr_assert_eq(report->unready, 0);
	if (rows)
		cr_assert_eq(rows_counted(report, row, "rows").sum,
			     ended * rows);
	selfmon_report_free(report);
}

/*
 * The address space may grow by addresses_max KiB. The library allocates it in
 * chunks, so it may grow by more than the fibers need.
 */
static void use_and_use_again(uint64_t rows, size_t addresses_max)
{
	size_t resident, addresses;

	SKIP_IF_SANITIZED("its own memory grows too");
	warm(rows);
	resident = resident_kib();
	addresses = holdings_kib();
	begin_all(rows);
	resident = resident_kib() - resident;
	addresses = holdings_kib() - addresses;
	printf("%d fibers: %zu KiB resident, %zu KiB of addresses\n", FIBERS,
	       resident, addresses);
	cr_assert_leq(resident, KIB_MAX);
	cr_assert_leq(addresses, addresses_max);
	expect(1, FIBERS, rows);
	end_all();
	expect(1 + FIBERS, 0, rows);
	addresses = holdings_kib();
	begin_all(rows);
	cr_assert_eq(holdings_kib(), addresses);
	end_all();
	expect(1 + 2 * FIBERS, 0, rows);
}

Test(fibers_many, take_a_kilobyte_each_that_later_ones_use_again)
{
	use_and_use_again(0, KIB_MAX);
}

Test(fibers_many, that_count_a_unit_each_do_not_take_more)
{
	use_and_use_again(3, KIB_MAX + CHUNK_KIB);
}
