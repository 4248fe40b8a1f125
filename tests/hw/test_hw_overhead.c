/* SPDX-License-Identifier: MIT */
/*
 * Tests that the library's overhead is subtracted from each region, on each
 * path that visits may take. The regions have known numbers of instructions,
 * nested in one function and in separate ones.
 */
#include "hw.h"
#include "store/self.h"
#include "rows.h"

#define VISITS 5000
#define WORK 100

/* WORK instructions that use no register. */
#define WORK_100() __asm__ __volatile__(".rept 100\n\tnop\n\t.endr")

/*
 * Instructions of the program itself, which depend on the compiler:
 * CALL: a call, with its stack frame.
 * ARGUMENT: passing an index to visit_name(), which loads name[index].
 * HANDLE: the check of a handle that may be NULL.
 * TELL: selfmon_region_items(), with its call.
 * LOOP: an iteration of a loop.
 */
#if defined(__aarch64__)
#define CALL 7
#define ARGUMENT 2
#define HANDLE 3
#define TELL 31
#define LOOP 3
#else
#define CALL 4
#define ARGUMENT 2
#define HANDLE 3
#define TELL 23
#define LOOP 2
#endif

#define FAST "cycles,instructions"
#define SLOW "instructions,page-faults" /* one by read(2): no fast path */

/*
 * With read(2), a descriptor is checked from time to time and not at each visit
 * (TRUSTED_TICKS, counters/snapshot.c). If all visits use read(2) and the clock
 * ticks slowly, the number of instructions is not known exactly, so the test is
 * skipped.
 */
static void require(void)
{
	hw_require_exact();
	if (SELFMON_ARCH_USER_READ_UNSAFE)
		cr_skip_test("regions are read by read(2) here, which looks at "
			     "its descriptor by the clock");
}

TestSuite(hw_overhead, .init = require);

static void count(const char *events)
{
	hw_pin(0);
	selfmon_counters_close(hw_open("cycles,instructions"));
	hw_configure(events);
}

static HW_NOINLINE void in_one_function(void)
{
	SELFMON_REGION("outer") {
		WORK_100();
		SELFMON_REGION("inner")
			WORK_100();
	}
}

static HW_NOINLINE void three_in_one_function(void)
{
	SELFMON_REGION("outer") {
		WORK_100();
		SELFMON_REGION("middle") {
			WORK_100();
			SELFMON_REGION("inner")
				WORK_100();
		}
	}
}

static HW_NOINLINE void inner_alone(void)
{
	SELFMON_REGION("inner")
		WORK_100();
}

static HW_NOINLINE void apart(void)
{
	SELFMON_REGION("outer") {
		WORK_100();
		inner_alone();
	}
}

#define CHILD(n)                                                               \
	SELFMON_REGION("inner " #n)                                            \
		WORK_100();

static HW_NOINLINE void sixteen_children(void)
{
	SELFMON_REGION("outer") {
		WORK_100();
		CHILD(1) CHILD(2) CHILD(3) CHILD(4)
		CHILD(5) CHILD(6) CHILD(7) CHILD(8)
		CHILD(9) CHILD(10) CHILD(11) CHILD(12)
		CHILD(13) CHILD(14) CHILD(15) CHILD(16)
	}
}

/*
 * The children's ids are equal modulo 16, so they share a slot, and each child
 * must be found in the hash table.
 */
#define NAMES 33
static struct selfmon_region *name[NAMES];

static HW_NOINLINE void visit_name(size_t i)
{
	SELFMON_REGION_OF(name[i])
		WORK_100();
}

static HW_NOINLINE void two_of_one_slot(void)
{
	SELFMON_REGION("outer") {
		WORK_100();
		visit_name(0);
		visit_name(16);
	}
}

static HW_NOINLINE void in_a_span(void)
{
	struct selfmon_frame frame;

	SELFMON_REGION("outer") {
		WORK_100();
		selfmon_enter(name[0], &frame);
		WORK_100();
		selfmon_leave(&frame);
	}
}

static HW_NOINLINE void with_items(void)
{
	SELFMON_REGION("outer") {
		WORK_100();
		SELFMON_REGION("inner") {
			WORK_100();
			selfmon_region_items(1);
		}
	}
}

static double own_of(const struct selfmon_report *report,
		     const struct selfmon_row *row)
{
	size_t i = 0;

	while (strcmp(selfmon_report_column(report, i), "instructions") != 0)
		i++;
	cr_assert_eq(row->counter[i].visits, row->visits);
	return row->counter[i].net_exclusive;
}

static void visit_often(void (*visit)(void))
{
	int i;

	for (i = 0; i < VISITS; i++)
		visit();
}

/*
 * Expects this mean in the VISITS visits between two reports. The first visit,
 * which makes the place, is before the first report.
 */
static void expect_own(const struct selfmon_report *before,
		       const struct selfmon_report *after, size_t i,
		       double expected, double tolerance)
{
	const struct selfmon_row *const row = selfmon_report_row(after, i);
	const struct selfmon_row *then = NULL;
	double own;
	size_t k;

	for (k = 0; k < selfmon_report_row_count(before); k++)
		if (!strcmp(selfmon_report_row(before, k)->name, row->name))
			then = selfmon_report_row(before, k);
	cr_assert_not_null(then);
	cr_assert_eq(row->visits - then->visits, VISITS);
	own = (own_of(after, row) - own_of(before, then)) / VISITS;
	cr_expect(own >= expected - tolerance && own <= expected + tolerance,
		  "%s has %.2f instructions of its own, not %.0f", row->name,
		  own, expected);
}

/*
 * Each region executes WORK instructions. outer and inner are the additional
 * instructions of the program in the outer region and in each region inside it.
 */
static void expect_work(const char *events, void (*visit)(void), int outer,
			int inner)
{
	struct selfmon_report *before, *after;
	char text[16];
	size_t i;

	count(events);
	for (i = 0; i < NAMES; i++) {
		snprintf(text, sizeof(text), "name %zu", i);
		name[i] = selfmon_region(text);
	}
	visit_often(visit);
	before = rows_take();
	visit_often(visit);
	after = rows_take();
	cr_assert_gt(selfmon_report_row_count(after), 1);
	for (i = 0; i < selfmon_report_row_count(after); i++)
		/*
		 * By read(2), the descriptor is checked from time to time. On
		 * average this adds about one instruction for each region
		 * inside, so the tolerance is the number of rows.
		 */
		expect_own(before, after, i,
			   WORK + (selfmon_report_row(after, i)->parent < 0
					   ? outer
					   : inner),
			   !strcmp(events, FAST)
				   ? 1 + (visit == in_a_span) * 1.5
				   : (double)selfmon_report_row_count(after));
	selfmon_report_free(before);
	selfmon_report_free(after);
}

#define BOTH_WAYS(what, outer, inner)                                          \
	Test(hw_overhead, what##_fast)                                         \
	{                                                                      \
		expect_work(FAST, what, outer, inner);                         \
	}                                                                      \
	Test(hw_overhead, what##_by_system_call)                               \
	{                                                                      \
		expect_work(SLOW, what, outer, inner);                         \
	}

BOTH_WAYS(in_one_function, 0, 0)
BOTH_WAYS(three_in_one_function, 0, 0)
BOTH_WAYS(apart, CALL, 0)
BOTH_WAYS(sixteen_children, 0, 0)
BOTH_WAYS(two_of_one_slot, 2 * (CALL + ARGUMENT + HANDLE), 0)
/*
 * selfmon_leave() checks its frame, and the call of a span takes up to two
 * instructions more or fewer, depending on the compiler.
 */
BOTH_WAYS(in_a_span, 0, 1)
BOTH_WAYS(with_items, 0, TELL)

/* ---- one visit in N measured ---------------------------------------------- */

static HW_NOINLINE void visit_child(void)
{
	SELFMON_REGION("child")
		WORK_100();
}

static HW_NOINLINE void visit_parent(unsigned int children)
{
	SELFMON_REGION("parent") {
		WORK_100();
		while (children-- > 0)
			visit_child();
	}
}

static void expect_sampled(const struct selfmon_row *row, double expected)
{
	const double own = row->counter[0].net_exclusive / (double)row->visits;

	cr_expect(own >= expected * 0.97 && own <= expected * 1.03,
		  "%s: %.2f instructions a visit, not %.0f; %ju of %ju "
		  "measured", row->name, own, expected,
		  (uintmax_t)row->measured, (uintmax_t)row->visits);
}

static void expect_no_bias(const char *events, uint32_t every,
			   unsigned int children)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	struct selfmon_report *report;
	int i;

	hw_pin(0);
	selfmon_counters_close(hw_open("instructions"));
	options.events = events;
	options.output = NULL;
	options.every = every;
	cr_assert_eq(selfmon_configure(&options), 0);
	hw_grow_old();
	for (i = 0; i < 10000; i++)
		visit_parent(children);
	report = rows_take();
	expect_sampled(ROWS_GET(report, "parent"),
		       WORK + (CALL + LOOP) * children + 1);
	expect_sampled(ROWS_GET(report, "parent", "child"), WORK);
	selfmon_report_free(report);
}

#define NO_BIAS(every, children)                                               \
	Test(hw_overhead, one_in_##every##_of_##children##_children)           \
	{                                                                      \
		expect_no_bias("instructions", every, children);               \
	}                                                                      \
	Test(hw_overhead, one_in_##every##_of_##children##_by_system_call)     \
	{                                                                      \
		expect_no_bias(SLOW, every, children);                         \
	}

NO_BIAS(2, 1)
NO_BIAS(2, 2)
NO_BIAS(2, 5)
NO_BIAS(2, 10)
NO_BIAS(7, 1)
NO_BIAS(7, 2)
NO_BIAS(7, 5)
NO_BIAS(7, 10)
NO_BIAS(10, 1)
NO_BIAS(10, 2)
NO_BIAS(10, 5)
NO_BIAS(10, 10)
NO_BIAS(100, 1)
NO_BIAS(100, 2)
NO_BIAS(100, 5)
NO_BIAS(100, 10)

/* ---- events that are off the PMU at times -------------------------------- */

static HW_NOINLINE void visit_1000(void)
{
	SELFMON_REGION("thousand")
		__asm__ __volatile__(".rept 1000\n\tnop\n\t.endr");
}

static void expect_mean(const struct selfmon_report *report, const char *column,
			double expected)
{
	const struct selfmon_row *const row = ROWS_GET(report, "thousand");
	size_t i = 0;
	double mean;

	while (strcmp(selfmon_report_column(report, i), column) != 0)
		i++;
	cr_assert_gt(row->counter[i].visits, 0);
	mean = row->counter[i].net / (double)row->counter[i].visits;
	cr_expect(mean >= expected * 0.99 && mean <= expected * 1.01,
		  "%s: %.1f a visit, not %.1f", column, mean, expected);
}

/* There is only one counter for ref-cycles, so these are two groups. */
Test(hw_overhead, is_known_of_events_that_take_turns)
{
	struct selfmon_report *report;
	int i;

	hw_pin(0);
	selfmon_counters_close(hw_open("ref-cycles"));
	hw_configure("ref-cycles,cycles,instructions,ref-cycles");
	for (i = 0; i < 20000; i++)
		visit_1000();
	report = rows_take();
	expect_mean(report, "instructions", 1000);
	if (!strcmp(SELFMON_ARCH_NAME, "x86-64"))
		expect_mean(report, "cycles", 2000);
	selfmon_report_free(report);
}

/*
 * There are more events than counters. Short visits have values of all groups,
 * in different visits.
 */
Test(hw_overhead, is_known_of_each_group)
{
	struct selfmon_report *report;
	const struct selfmon_row *row;
	size_t i;

	if (selfmon_clock()->hz < 500000000)
		cr_skip_test("known issue: where clocks tick slowly the "
			     "overhead of further groups is not subtracted");
	hw_pin(0);
	selfmon_counters_close(hw_open("instructions"));
	hw_configure("instructions,instructions,instructions,instructions,"
		     "instructions,instructions,instructions,instructions");
	for (i = 0; i < 20000; i++)
		visit_1000();
	report = rows_take();
	row = ROWS_GET(report, "thousand");
	for (i = 0; i < 8; i++) {
		const struct selfmon_quantity *const of = &row->counter[i];
		const double mean = of->net / (double)of->visits;

		cr_assert_gt(of->visits, 0);
		cr_expect(mean >= 990 && mean <= 1010,
			  "column %zu: %.1f a visit, not 1000", i, mean);
	}
	selfmon_report_free(report);
}

/* Gives the PMU to another set, so that the group of the regions is off it. */
static void lose_the_pmu(void)
{
	const struct selfmon_page *const leader =
		selfmon_thread_self()->set->page[0];
	struct selfmon_counters *other;

	other = hw_open("ref-cycles,instructions,instructions,instructions");
	while (selfmon_load_once(&leader->index) != 0)
		hw_loop(1000);
	selfmon_counters_close(other);
}

Test(hw_overhead, is_measured_once_the_events_are_back_on_the_pmu)
{
	struct selfmon_report *report;
	int i;

	hw_pin(0);
	selfmon_counters_close(hw_open("ref-cycles"));
	hw_configure("ref-cycles,cycles,instructions,instructions");
	for (i = 0; i < 10000; i++)
		visit_1000();
	hw_require_user_reads(selfmon_thread_self()->set);
	lose_the_pmu();
	report = rows_take();
	expect_mean(report, "instructions", 1000);
	cr_expect_gt(ROWS_GET(report, "thousand")->time.net, 0);
	selfmon_report_free(report);
}
