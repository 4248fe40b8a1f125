/* SPDX-License-Identifier: MIT */
/*
 * Tests regions whose counters are read in user space (visit/user.c), while
 * other processes run, other events are open, and registers wrap.
 */
#include <linux/perf_event.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <time.h>

#include "counters/set.h"
#include "hw.h"
#include "store/self.h"
#include "rows.h"

#define VISITS 3000
#define SWITCHED 500
#define EVENTS "cycles,instructions"

TestSuite(hw_region, .init = hw_require_pmu);

static const struct timespec short_while = { .tv_nsec = 1000 };

static void prepare(void)
{
	struct selfmon_counters *set;

	hw_require_exact();
	hw_pin(0);
	set = hw_open(EVENTS);
	hw_require_user_reads(set);
	selfmon_counters_close(set);
	hw_configure(EVENTS);
	SELFMON_REGION("opened") /* opens the events that regions count */
		selfmon_compiler_fence();
	if (selfmon_thread_self()->mode != SELFMON_MODE_USER)
		cr_skip_test("regions are not read alike in user space here: "
			     "by read(2), or from counters of several widths");
}

static HW_NOINLINE void visit_switched(void)
{
	SELFMON_REGION("switched")
		nanosleep(&short_while, NULL);
}

static uint64_t preemptions(void)
{
	return hw_read_number("/proc/self/status",
			      "nonvoluntary_ctxt_switches:");
}

/*
 * Expects the same count in all visits. If ends were read again, counts may
 * differ by up to 500.
 */
static void expect_alike(const struct selfmon_row *row, size_t i)
{
	const struct selfmon_quantity *const count = &row->counter[i];

	cr_assert_eq(count->visits, row->visits);
	if (row->retried == 0)
		cr_assert_eq(count->min, count->max,
			     "from %lu to %lu in %lu visits",
			     (unsigned long)count->min,
			     (unsigned long)count->max,
			     (unsigned long)row->visits);
	cr_assert_leq(count->max - count->min, 500);
}

/* Makes visits until the thread was preempted several times. */
static void visit_preempted(void)
{
	const uint64_t before = preemptions();
	int i;

	/*
	 * The preemptions are queried rarely: a query takes longer than a
	 * visit, so most preemptions would be in queries.
	 */
	for (i = 1; i < VISITS || i % 100 || preemptions() < before + 20; i++)
		hw_visit_region(1000);
}

Test(hw_region, visits_beside_a_competitor_count_alike)
{
	struct selfmon_report *report = NULL;
	const struct selfmon_row *row;
	pid_t competitor;

	prepare();
	hw_visit_region(1000);
	competitor = hw_competitor();
	/*
	 * After only a few preemptions, it is possible that none was in a
	 * visit.
	 */
	do {
		selfmon_report_free(report);
		visit_preempted();
		report = rows_take();
		row = ROWS_GET(report, "loop");
	} while (row->disturbed == 0);
	hw_competitor_end(competitor);
	expect_alike(row, 1);
	cr_assert_eq(row->slow + row->refused + row->lost + row->impossible, 0);
	selfmon_report_free(report);
}

static HW_NOINLINE void visit_nothing(int visits)
{
	while (visits-- > 0)
		SELFMON_REGION("nothing")
			selfmon_compiler_fence();
}

/*
 * Leave takes about a quarter of an empty visit's time, so about one preemption
 * in four happens in it.
 */
Test(hw_region, an_end_in_which_the_thread_is_preempted_is_read_again)
{
	struct selfmon_report *report;
	const struct selfmon_row *row;
	pid_t competitor;
	uint64_t before;

	prepare();
	competitor = hw_competitor();
	before = preemptions();
	while (preemptions() < before + 60)
		visit_nothing(10000);
	hw_competitor_end(competitor);
	report = rows_take();
	row = ROWS_GET(report, "nothing");
	cr_assert_gt(row->retried, 0);
	cr_assert_eq(row->slow + row->refused + row->lost + row->impossible, 0);
	selfmon_report_free(report);
}

static void *visit_deep(void *arg)
{
	const struct selfmon_thread *const thread = selfmon_thread_self();

	(void)arg;
	SELFMON_REGION("outer")
		SELFMON_REGION("inner")
			selfmon_compiler_fence();
	cr_assert_neq(selfmon_thread_self(), thread);
	cr_assert_eq(selfmon_thread_self()->open[2].known.locks & 1, 0);
	return selfmon_thread_self();
}

static void *visit_flat(void *arg)
{
	SELFMON_REGION("outer")
		selfmon_compiler_fence();
	cr_assert_eq(selfmon_thread_self(), arg, "the state is taken over");
	cr_assert_eq(selfmon_thread_self()->open[1].known.locks & 1, 0);
	cr_assert_eq(selfmon_thread_self()->open[2].known.locks & 1, 1);
	return NULL;
}

/*
 * The locks of two sets may have the same sum although their events have
 * different counters. So a thread must not use what an earlier thread cached of
 * its pages.
 */
Test(hw_region, a_thread_knows_nothing_of_the_pages_of_one_before_it)
{
	pthread_t thread;
	void *state;

	prepare();
	cr_assert_eq(pthread_create(&thread, NULL, visit_deep, NULL), 0);
	cr_assert_eq(pthread_join(thread, &state), 0);
	cr_assert_eq(pthread_create(&thread, NULL, visit_flat, state), 0);
	cr_assert_eq(pthread_join(thread, NULL), 0);
}

Test(hw_region, visits_with_a_switch_inside_are_marked_and_no_others)
{
	struct selfmon_report *report;
	const struct selfmon_row *row;
	pid_t competitor;
	uint64_t before;
	int i;

	prepare();
	if (selfmon_thread_self()->set->shift[0] > 32)
		cr_skip_test("narrow registers wrap often, which moves the "
			     "leader's lock too");
	hw_visit_region(1);
	competitor = hw_competitor();
	visit_switched();
	before = preemptions();
	for (i = 1; i < SWITCHED; i++) {
		visit_switched();
		hw_visit_region(1);
	}
	before = preemptions() - before;
	hw_competitor_end(competitor);
	report = rows_take();
	row = ROWS_GET(report, "switched");
	cr_assert_eq(row->disturbed, SWITCHED);
	cr_assert_eq(row->counter[1].visits, SWITCHED);
	row = ROWS_GET(report, "loop");
	cr_assert_leq(row->disturbed, before, "%lu of %lu marked",
		      (unsigned long)row->disturbed,
		      (unsigned long)row->visits);
	selfmon_report_free(report);
}

/*
 * Other sets rotate with ours and are then closed. From then on, ours is on the
 * PMU whenever the thread runs, so a context switch must not cause an estimate.
 */
Test(hw_region, times_off_the_pmu_are_those_of_the_visit)
{
	struct selfmon_report *report;
	const struct selfmon_row *row;
	struct selfmon_counters *other[3];
	pid_t competitor;
	int i;

	prepare();
	for (i = 0; i < 3; i++)
		other[i] = hw_open("cycles,cycles,cycles,instructions");
	for (i = 0; i < 200; i++)
		hw_visit_region(100000);
	for (i = 0; i < 3; i++)
		selfmon_counters_close(other[i]);
	nanosleep(&short_while, NULL); /* now ours stays on the PMU */
	competitor = hw_competitor();
	for (i = 0; i < SWITCHED; i++)
		visit_switched();
	hw_competitor_end(competitor);
	report = rows_take();
	row = ROWS_GET(report, "loop");
	cr_assert(row->counter[1].verdict != SELFMON_EXACT || row->refused,
		  "the sets did not take turns");
	row = ROWS_GET(report, "switched");
	cr_assert_eq(row->refused, 0, "%lu", (unsigned long)row->refused);
	cr_assert_eq(row->counter[1].visits, SWITCHED);
	cr_assert_eq(row->counter[1].verdict, SELFMON_EXACT, "%s",
		     selfmon_verdict_name(row->counter[1].verdict));
	selfmon_report_free(report);
}

/* After a register has wrapped, its page has another offset. */
Test(hw_region, visits_over_registers_that_wrap_count_alike)
{
	struct selfmon_report *report;
	const struct selfmon_row *row;
	int i;

	prepare();
	for (i = 0; i < 2 * VISITS; i++)
		hw_visit_region(1000);
	report = rows_take();
	row = ROWS_GET(report, "loop");
	expect_alike(row, 1);
	expect_alike(row, 0);
	cr_assert_eq(row->repaired + row->impossible + row->lost, 0);
	selfmon_report_free(report);
}

/* Code outside of the library resets the events during a visit. */
Test(hw_region, a_count_that_was_reset_is_not_taken_for_a_count)
{
	struct selfmon_report *report;
	const struct selfmon_row *row;
	int fd;

	prepare();
	hw_visit_region(1000);
	fd = selfmon_set_of(selfmon_thread_self()->set)->member[0].fd_plus_1 -
	     1;
	/* Now the events have counted more than a visit will. */
	hw_loop(100000);
	SELFMON_REGION("reset")
		cr_assert_eq(ioctl(fd, PERF_EVENT_IOC_RESET,
				   PERF_IOC_FLAG_GROUP), 0);
	report = rows_take();
	row = ROWS_GET(report, "reset");
	cr_assert_eq(row->counter[1].visits + row->impossible, 1);
	cr_assert_lt(row->counter[1].sum, UINT64_C(1) << 40,
		     "%lu instructions", (unsigned long)row->counter[1].sum);
	selfmon_report_free(report);
}

static HW_NOINLINE void visit_beside(uint64_t wrong)
{
	SELFMON_REGION("loop")
	{
		hw_loop(1000);
		selfmon_thread_self()->top->start.value[1] -= wrong;
	}
}

/*
 * A wrong register or a wrong offset may give an impossible count. The lock in
 * the event's page does not show such an error.
 */
Test(hw_region, a_count_that_cannot_be_is_left_out)
{
	struct selfmon_report *report;
	const struct selfmon_row *row;
	unsigned int width;

	prepare();
	width = 64u - selfmon_thread_self()->set->shift[1];
	visit_beside(0);
	visit_beside(UINT64_C(1) << (width - 2));
	visit_beside(0);
	report = rows_take();
	row = ROWS_GET(report, "loop");
	cr_assert_eq(row->impossible, 1);
	cr_assert_eq(row->visits, 3);
	cr_assert_eq(row->counter[1].visits, 2);
	cr_assert_lt(row->counter[1].max, 3000);
	selfmon_report_free(report);
}

/*
 * A visit that counts units must read its counters like other visits, with the
 * same overhead in its counts. Only its leave takes the slow path.
 */
static HW_NOINLINE void visit_counted(uint64_t n)
{
	SELFMON_REGION("seen")
	{
		hw_loop(n);
		selfmon_region_bytes(n);
	}
}

/*
 * Instructions that interrupts may add to all visits together: on arm64 an
 * atomic addition is a loop, which an interrupt repeats. Without interrupts all
 * visits have the same count.
 */
#ifdef __aarch64__
#define REPEATED 40
#else
#define REPEATED 0
#endif

Test(hw_region, visits_that_count_units_are_read_in_user_space_too)
{
	struct selfmon_metric metric = { .size = sizeof(metric) };
	const struct selfmon_quantity *count;
	struct selfmon_report *report;
	const struct selfmon_row *row;
	uint64_t more;
	int i;

	prepare();
	hw_visit_region(1000);
	for (i = 0; i < VISITS; i++)
		visit_counted(1000);
	report = rows_take();
	row = ROWS_GET(report, "seen");
	cr_assert_eq(row->visits, VISITS);
	cr_assert_eq(row->bytes, 1000u * VISITS);
	cr_assert_eq(row->slow, 0);
	cr_assert_eq(row->whole, row->measured);
	/*
	 * The first count of a unit in a node makes the unit's record. The
	 * instructions for this are in the count of that visit.
	 */
	count = &row->counter[1];
	more = count->sum - count->max - (VISITS - 1) * (uint64_t)count->min;
	if (row->retried == 0)
		cr_assert_leq(more, REPEATED, "%llu",
			      (unsigned long long)more);
	cr_assert_leq(count->max - count->min, 1000);
	/*
	 * 2000 instructions in the loop, plus those of the call and of the
	 * visit
	 */
	cr_assert_leq(row->counter[1].net / VISITS, 2000 + 40, "%f",
		      row->counter[1].net / VISITS);
	for (i = 0; strcmp(metric.name, "cycles/byte"); i++)
		cr_assert_eq(selfmon_row_metric(
				     report,
				     (size_t)(row - selfmon_report_row(report,
								       0)),
				     (size_t)i, &metric), 0);
	cr_assert_eq(metric.verdict, SELFMON_EXACT);
	cr_assert_leq(metric.value * 1000 * VISITS,
		      row->counter[0].net * (1 + 1e-9));
	cr_assert_geq(metric.value * 1000 * VISITS,
		      row->counter[0].net * (1 - 1e-9));
	selfmon_report_free(report);
}
