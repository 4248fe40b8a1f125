/* SPDX-License-Identifier: MIT */
/*
 * Tests regions that measure one visit in N: compares estimates with known
 * work. The work is page faults: each visit touches a fixed number of fresh
 * pages.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "rows.h"
#include "sanitized.h"

#define OWN 3   /* page faults of the parent itself in a visit */
#define CHILD 2 /* page faults of each child */

static void configure(const char *events, uint32_t every)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = events;
	options.every = every;
	options.output = NULL;
	cr_assert_eq(selfmon_configure(&options), 0);
}

static char *memory;
static size_t page_size;

static void touch_fresh(unsigned int pages)
{
	unsigned int i;

	madvise(memory, pages * page_size, MADV_DONTNEED);
	for (i = 0; i < pages; i++)
		*(volatile char *)(memory + i * page_size) = 1;
}

static void prepare(void)
{
	if (SANITIZED_THREADS)
		cr_skip_test("the sanitizer's shadow has page faults, too");
	page_size = (size_t)sysconf(_SC_PAGESIZE);
	memory = mmap(NULL, 16 * page_size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq(memory, MAP_FAILED);
	madvise(memory, 16 * page_size, MADV_NOHUGEPAGE);
	touch_fresh(1);
}

static __attribute__((noinline)) void visit_parent(unsigned int children)
{
	SELFMON_REGION("parent")
	{
		touch_fresh(OWN);
		while (children-- > 0)
			SELFMON_REGION("child")
				touch_fresh(CHILD);
	}
}

/*
 * Expects this number of page faults for each visit, not counting its children.
 * The visits have exactly this number; the library may add a few.
 */
static void expect(const struct selfmon_row *row, double faults)
{
	const double own =
		row->counter[0].net_exclusive / (double)row->visits;

	cr_expect(own >= faults * 0.97 && own <= faults * 1.03,
		  "%s: %.3f faults a visit, not %.0f; %ju of %ju measured",
		  row->name, own, faults, (uintmax_t)row->measured,
		  (uintmax_t)row->visits);
}

static void known_work(uint32_t every, unsigned int children)
{
	const unsigned int visits = 40 * every;
	struct selfmon_report *report;
	unsigned int i;

	prepare();
	configure("page-faults", every);
	for (i = 0; i < visits; i++)
		visit_parent(children);
	report = rows_take();
	expect(ROWS_GET(report, "parent"), OWN);
	expect(ROWS_GET(report, "parent", "child"), CHILD);
	selfmon_report_free(report);
}

#define KNOWN_WORK(every, children)                                            \
	Test(region_every, of_##every##_with_##children##_children_has_no_bias) \
	{                                                                      \
		known_work(every, children);                                   \
	}

KNOWN_WORK(2, 1)
KNOWN_WORK(2, 2)
KNOWN_WORK(2, 5)
KNOWN_WORK(7, 1)
KNOWN_WORK(7, 2)
KNOWN_WORK(7, 10)
KNOWN_WORK(10, 1)
KNOWN_WORK(10, 5)
KNOWN_WORK(10, 10)
KNOWN_WORK(100, 1)
KNOWN_WORK(100, 10)

static __attribute__((noinline)) void visit_tenth_dear(int i)
{
	SELFMON_REGION("periodic")
		touch_fresh(i % 10 == 0 ? 10 : 1);
}

/*
 * If every tenth visit were measured, all measured visits would have 10 faults,
 * or all 1.
 */
Test(region_every, sees_what_is_periodic_as_often_as_it_is)
{
	struct selfmon_report *report;
	double faults;
	int i;

	prepare();
	configure("page-faults", 10);
	for (i = 0; i < 10000; i++)
		visit_tenth_dear(i);
	report = rows_take();
	faults = ROWS_GET(report, "periodic")->counter[0].net / 10000;
	/*
	 * 1000 visits are measured: the mean is 1.9 and the standard deviation
	 * 2.7, so the standard error is 0.085.
	 */
	cr_assert(faults > 1.4 && faults < 2.4, "%.3f", faults);
	selfmon_report_free(report);
}

static __attribute__((noinline)) void visit_first_dear(int i)
{
	SELFMON_REGION("first")
		touch_fresh(i == 0 ? 15 : 1);
}

Test(region_every, counts_the_first_visit_once)
{
	struct selfmon_report *report;
	const struct selfmon_row *row;
	int i;

	prepare();
	configure("page-faults", 100);
	for (i = 0; i <= 1000; i++)
		visit_first_dear(i);
	report = rows_take();
	row = ROWS_GET(report, "first");
	cr_assert(row->counter[0].net >= 1010 && row->counter[0].net <= 1020,
		  "%.1f", row->counter[0].net);
	selfmon_report_free(report);
}

/*
 * The first visit has 15 page faults, four others have 1. The first must not be
 * multiplied.
 */
Test(region_every, a_long_first_visit_of_few_does_not_stand_for_all)
{
	struct selfmon_report *report;
	double faults;
	int i;

	prepare();
	configure("page-faults", 50);
	for (i = 0; i < 5; i++)
		visit_first_dear(i);
	report = rows_take();
	faults = ROWS_GET(report, "first")->counter[0].net;
	cr_assert(faults >= 12 && faults <= 26, "%.1f", faults);
	selfmon_report_free(report);
}

Test(region_every, measures_a_region_of_one_visit)
{
	struct selfmon_report *report;
	const struct selfmon_row *row;

	prepare();
	configure("page-faults", 1000);
	visit_parent(1);
	report = rows_take();
	row = ROWS_GET(report, "parent");
	cr_assert_eq(row->measured, 1);
	cr_assert_gt(row->time.net, 0);
	selfmon_report_free(report);
}
