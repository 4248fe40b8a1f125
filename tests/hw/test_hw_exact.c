/* SPDX-License-Identifier: MIT */
/* Tests the counts of a loop with a known number of instructions. */
#define _GNU_SOURCE
#include "hw/tool.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "rows.h"

/*
 * Returns the number of interrupts and faults so far. On a real machine each of
 * them may add an instruction to a visit.
 */
static uint64_t disturbances(void)
{
	const int cpu = sched_getcpu();
	struct rusage usage;
	uint64_t sum = 0;
	char line[8192];
	FILE *file = fopen("/proc/interrupts", "r");

	cr_assert_not_null(file);
	while (fgets(line, sizeof(line), file)) {
		char *at = strchr(line, ':');
		int i;

		for (i = 0; at && i < cpu; i++)
			strtoull(at + 1, &at, 10);
		sum += at ? strtoull(at + 1, NULL, 10) : 0;
	}
	fclose(file);
	cr_assert_eq(getrusage(RUSAGE_THREAD, &usage), 0);
	return sum + (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt;
}

/*
 * A separate event, read by read(2) around each visit. It also counts the
 * instructions that interrupts of a hypervisor's host add to a visit, which
 * guests cannot see otherwise.
 */
static struct {
	int fd; /* 0: not needed, since the machine is exact */
	uint64_t least, last;
} beside;

static uint64_t beside_now(void)
{
	return beside.fd ? tool_read(beside.fd).value : 0;
}

static void open_beside(void)
{
	struct perf_event_attr attr;

	if (hw_exact())
		return;
	tool_attr(&attr, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	beside.fd = tool_open(&attr, 0, -1, -1);
	tool_enable(beside.fd);
}

static void visit(struct selfmon_counters *set, uint64_t n,
		  struct selfmon_delta *delta)
{
	const uint64_t before = beside_now();

	hw_visit_loop(set, n, delta);
	beside.last = beside_now() - before - 2 * n;
	if (beside.last < beside.least)
		beside.least = beside.last;
}

/*
 * Called if a count was refused. Skips the test if the separate event was off
 * the PMU, too. Later visits may then be read by read(2).
 */
static void skip_if_off_pmu(void)
{
	struct tool_count now;

	if (!beside.fd)
		return;
	now = tool_read(beside.fd);
	if (now.running_ns < now.enabled_ns)
		cr_skip_test("another program's events were on the PMU "
			     "in the place of this one's");
}

/*
 * Returns true if interrupts of a hypervisor's host may explain the excess.
 * Each adds one instruction, and a longer loop has more of them. The separate
 * event must show the excess, too.
 */
static bool host_added(uint64_t n, uint64_t excess)
{
	return excess <= 8 + n / 10000 && beside.last - beside.least >= excess;
}

/*
 * Expects a cause for each count above the expected one. On all machines, a
 * repeated read of an end of the visit is a cause; delta->moved counts these
 * reads. On a real machine, interrupts and faults are causes, too, and those
 * of a hypervisor's host.
 */
static void expect_cause(const struct selfmon_delta *delta, uint64_t n,
			 uint64_t excess, uint64_t *before)
{
	uint64_t now;

	if (delta->moved) {
		cr_assert_leq(excess, delta->moved * HW_TRY_INSTRUCTIONS);
		return;
	}
	cr_assert_not(hw_exact(), "%ju too many", (uintmax_t)excess);
	now = disturbances();
	if (excess > now - *before && host_added(n, excess))
		return;
	cr_assert_leq(excess, now - *before, "%ju too many, %ju causes",
		      (uintmax_t)excess, (uintmax_t)(now - *before));
	*before = now;
}

/*
 * Returns the number of context switches, or 0 on an exact machine. Each switch
 * makes at most one end of a visit be read again.
 */
static long switches(void)
{
	struct rusage usage;

	if (hw_exact())
		return 0;
	cr_assert_eq(getrusage(RUSAGE_THREAD, &usage), 0);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

#define SHORT_LOOP 10000 /* some microseconds */

static void expect_loops(struct selfmon_counters *set, uint64_t n, int visits,
			 uint64_t expected)
{
	uint64_t before = hw_exact() ? 0 : disturbances(), least = UINT64_MAX;
	struct selfmon_delta delta;
	const long switched = switches();
	int i, retried = 0;

	for (i = 0; i < visits; i++) {
		uint64_t count;

		visit(set, n, &delta);
		if (delta.flags & SELFMON_DELTA_REFUSED)
			skip_if_off_pmu();
		count = delta.value[0].count;
		cr_assert_geq(count, expected,
			      "n %ju, visit %d: %ju, not %ju; verdict %d, "
			      "flags %#x, moved %u, off %ju ns",
			      (uintmax_t)n, i, (uintmax_t)count,
			      (uintmax_t)expected, delta.value[0].verdict,
			      delta.flags, delta.moved,
			      (uintmax_t)delta.off_ns);
		if (count < least)
			least = count;
		if (count > expected)
			expect_cause(&delta, n, count - expected, &before);
		retried += delta.moved > 0;
	}
	/*
	 * On a real machine, all visits of a longer loop may include an
	 * interrupt.
	 */
	if (hw_exact() || n <= SHORT_LOOP)
		cr_assert_eq(least, expected, "n %ju: least %ju, not %ju",
			     (uintmax_t)n, (uintmax_t)least,
			     (uintmax_t)expected);
	cr_assert_leq(retried, 1 + visits / 100 + (int)(switches() - switched),
		      "n %ju: %d retried, %ld switches", (uintmax_t)n, retried,
		      switches() - switched);
}

/* Returns the instructions of a visit outside of its loop. */
static uint64_t constant_of(struct selfmon_counters *set)
{
	uint64_t least = UINT64_MAX;
	struct selfmon_delta delta;
	int i;

	for (i = 0; i < 1000; i++) {
		visit(set, 1, &delta);
		if (delta.value[0].count < least)
			least = delta.value[0].count;
	}
	return least - 2;
}

/*
 * Skips guests that do not count exactly: in an emulator with two CPUs, each
 * CPU also counts the end of each time slice of the other CPU.
 */
static struct selfmon_counters *open_instructions(void)
{
	hw_require_pmu();
	if (hw_guest())
		hw_require_exact();
	hw_pin(0);
	return hw_open("instructions");
}

Test(hw_exact, a_loop_of_n_turns_counts_2n_and_a_constant)
{
	static const struct {
		uint64_t n;
		int visits;
	} loop[] = {
		{ 1, 10000 },   { 2, 10000 },	{ 3, 10000 },
		{ 5, 10000 },   { 10, 10000 },	{ 20, 10000 },
		{ 50, 10000 },  { 100, 10000 }, { 200, 10000 },
		{ 500, 10000 }, { 999, 10000 }, { 1000, 10000 },
		{ 10000, 100 }, { 100000, 100 }, { 10000000, 3 },
	};
	struct selfmon_counters *set = open_instructions();
	uint64_t constant;
	size_t i;

	open_beside();
	beside.least = UINT64_MAX;
	constant = constant_of(set);
	for (i = 0; i < sizeof(loop) / sizeof(loop[0]); i++)
		expect_loops(set, loop[i].n, loop[i].visits,
			     2 * loop[i].n + constant);
	selfmon_counters_close(set);
}

Test(hw_exact, a_region_of_a_loop_reports_2n_less_the_own_cost)
{
	const uint64_t n = 1000;
	struct selfmon_report *report;
	const struct selfmon_row *row;
	int i;

	hw_require_exact();
	selfmon_counters_close(open_instructions());
	hw_configure("instructions");
	for (i = 0; i < 1000; i++)
		hw_visit_region(n);
	report = rows_take();
	row = ROWS_GET(report, "loop");
	cr_assert_eq(row->counter[0].visits, 1000);
	hw_expect_net(row, 0, 1000.0 * 2 * (double)n);
	cr_assert_eq(row->counter[0].noise, 0, "noise %.1f",
		     row->counter[0].noise);
	selfmon_report_free(report);
}

/*
 * Runs in a separate suite because it takes a minute: an open visit counts
 * three times the range of a register of 32 bits.
 */
Test(hw_long, a_region_of_three_times_2_to_the_32_is_exact, .timeout = 600)
{
	struct selfmon_counters *set;
	struct selfmon_report *report;
	const struct selfmon_row *row;
	uint64_t n = UINT64_C(3) << 32;
	struct selfmon_delta delta;

	hw_require_exact();
	set = hw_open("cycles,instructions");
	hw_require_user_reads(set);
	if (set->shift[0] != 32)
		cr_skip_test("wants counters of 32 bits, they have %d",
			     64 - set->shift[0]);
	hw_visit_loop(set, 1000, &delta);
	hw_visit_loop(set, 1000, &delta);
	/* On these machines each instruction takes a whole number of cycles. */
	n = n / (delta.value[0].count / delta.value[1].count) / 2;
	selfmon_counters_close(set);
	hw_configure("cycles,instructions");
	hw_visit_region(n);
	report = rows_take();
	row = ROWS_GET(report, "loop");
	hw_expect_net(row, 0, 3 * 4294967296.0);
	hw_expect_net(row, 1, 2 * (double)n);
	cr_assert_eq(row->counter[0].verdict, SELFMON_EXACT);
	selfmon_report_free(report);
}
