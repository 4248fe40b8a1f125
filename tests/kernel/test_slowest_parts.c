/* SPDX-License-Identifier: MIT */
/* Tests the parts and the counts of the slowest visits. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "clock/clock.h"
#include "kernel/fibers.h"
#include "kernel/slow.h"
#include "sanitizer.h"
#include "store/self.h"

Test(slowest, have_what_was_inside_of_them)
{
	const struct selfmon_slow_moment *part;
	const struct selfmon_slow *slow;
	struct selfmon_report *report;
	int i;

	record();
	for (i = 0; i < 100; i++)
		request(i == 50);
	report = rows_take();
	slow = slow_with(report, "request", "store", LONG_LEAST_NS);
	part = slow->part;
	cr_assert_eq(slow->parts, 3);
	cr_expect_eq(slow->inner, 3);
	cr_expect_str_eq(part[0].region, "parse");
	cr_expect_str_eq(part[1].region, "token");
	cr_expect_str_eq(part[2].region, "store");
	cr_expect(part[0].outermost && !part[1].outermost &&
		  part[2].outermost);
	cr_expect_geq(part[2].ns, LONG_LEAST_NS);
	cr_expect_leq(part[2].begin_ns + part[2].ns, slow->ns + 1);
	cr_expect_geq(part[2].begin_ns, part[0].begin_ns + part[0].ns);
	cr_expect_leq(part[1].begin_ns + part[1].ns,
		      part[0].begin_ns + part[0].ns + 1);
	cr_expect_eq(slow->flags & SELFMON_SLOW_OVERWRITTEN, 0);
	cr_expect(rows_say(report, SELFMON_TEXT, "inside: store "));
	selfmon_report_free(report);
}

Test(slowest, keep_the_longest_parts)
{
	const struct selfmon_slow *slow;
	struct selfmon_report *report;
	size_t i, longs = 0;

	record();
	SELFMON_REGION("a")
		for (i = 0; i < 1000; i++)
			visit("b", i % 100 == 0 ? LONG_NS / 10 : 0);
	report = rows_take();
	slow = slowest(report, "a");
	cr_expect_eq(slow->inner, 1000);
	cr_expect_eq(slow->parts, SELFMON_SLOW_PARTS);
	for (i = 0; i < slow->parts; i++)
		longs += slow->part[i].ns >= LONG_LEAST_NS / 10;
	cr_expect_geq(longs, 10);
	/*
	 * Only the longest parts are recorded, so sums over them are not sums
	 * over the visit. The report must say so.
	 */
	cr_expect(rows_say(report, SELFMON_TEXT, "longest"));
	cr_expect_eq(slow->flags & SELFMON_SLOW_OVERWRITTEN, 0);
	selfmon_report_free(report);
}

/* The ring has room for 4096 visits. */
Test(slowest, say_if_parts_were_overwritten)
{
	struct selfmon_report *report;
	int i;

	record();
	selfmon_frame_mark("first"); /* so that no visit is too short */
	SELFMON_REGION("a")
		for (i = 0; i < 5000; i++)
			visit("b", 0);
	report = rows_take();
	cr_expect((slowest(report, "a")->flags & SELFMON_SLOW_OVERWRITTEN) != 0);
	cr_expect(rows_say(report, SELFMON_TEXT, "unknown"));
	cr_expect(rows_say(report, SELFMON_JSON, "\"overwritten\": true"));
	selfmon_report_free(report);
}

static void descend(int depth, int breadth)
{
	int i;

	if (depth)
		SELFMON_REGION("deep")
			for (i = 0; i < breadth; i++)
				descend(depth - 1, breadth);
}

Test(slowest, of_a_recursion_have_all_levels)
{
	struct selfmon_report *report;

	record();
	descend(5, 2); /* 31 visits */
	report = rows_take();
	cr_expect_eq(slowest(report, "deep")->inner, 30);
	cr_expect_eq(kept(report, "deep", NULL), SELFMON_SLOW_VISITS);
	selfmon_report_free(report);
}

Test(slowest, have_their_own_counts)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const struct selfmon_slow *slow;
	struct selfmon_report *report;
	char *memory;
	size_t i;

	SKIP_IF_SANITIZED("its shadow memory faults too");
	record_with("page-faults");
	memory = mmap(NULL, 100 * page, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert(memory != MAP_FAILED);
	madvise(memory, 100 * page, MADV_NOHUGEPAGE);
	for (i = 0; i < 20; i++)
		SELFMON_REGION("a") {
			size_t k;

			for (k = 0; i == 10 && k < 100; k++)
				memory[k * page] = 1;
			if (i == 10)
				work_for(4 * LONG_NS);
		}
	report = rows_take();
	slow = slowest(report, "a");
	cr_assert_eq(report->columns, 1);
	cr_expect_eq(slow->values, 1);
	cr_expect_eq(slow->value[0], 100);
	cr_expect(rows_say(report, SELFMON_JSON, "\"page-faults\": 100"));
	selfmon_report_free(report);
}

/* The names of events are keys in JSON, and may have 127 bytes. */
Test(slowest, have_counters_with_names_of_any_length)
{
	struct selfmon_report *report;
	char event[SELFMON_EVENT_NAME_SIZE];

	snprintf(event, sizeof(event), "software/config=0x%0*d/",
		 (int)sizeof(event) - 1 - 19, 2);
	cr_assert_eq(strlen(event), sizeof(event) - 1);
	record_with(event);
	visit("a", 1000);
	report = rows_take();
	cr_assert_str_eq(report->column[0].name, event);
	cr_expect_eq(slowest(report, "a")->values, 1);
	cr_expect(rows_say(report, SELFMON_JSON, event));
	selfmon_report_free(report);
}

Test(slowest, say_how_long_they_were_off_the_cpu)
{
	const struct selfmon_slow *slow;
	struct selfmon_report *report;
	uint64_t blocked = 0;
	size_t i;

	record_with("@offcpu");
	for (i = 0; i < 20; i++)
		SELFMON_REGION("a")
			if (i == 10)
				usleep(20000);
	report = rows_take();
	slow = slowest(report, "a");
	for (i = 0; i < slow->parts; i++)
		if (slow->part[i].kind == SELFMON_PART_BLOCKED)
			blocked += slow->part[i].ns;
	cr_expect_geq(slow->ns, 19600000);
	cr_expect_geq(blocked, 19500000, "%lu", (unsigned long)blocked);
	cr_expect_leq(blocked, slow->ns + slow->ns / 50);
	cr_expect(rows_say(report, SELFMON_TEXT, "blocked "));
	selfmon_report_free(report);
}

Test(slowest, of_units_have_their_time)
{
	struct selfmon_report *report;
	int i;

	record();
	for (i = 0; i < 100; i++)
		SELFMON_REGION("a") {
			selfmon_region_items(3);
			if (i == 50)
				work_for(LONG_NS);
		}
	report = rows_take();
	cr_expect_geq(slowest(report, "a")->ns, LONG_LEAST_NS);
	cr_expect_eq(kept(report, "a", NULL), SELFMON_SLOW_VISITS);
	cr_expect_eq(ROWS_GET(report, "a")->items, 300);
	selfmon_report_free(report);
}

Test(slowest, of_detached_spans_are_kept)
{
	struct selfmon_region *const region = selfmon_region("span");
	struct selfmon_report *report;
	int i;

	record();
	for (i = 0; i < 100; i++) {
		struct selfmon_async_span span;

		selfmon_async_begin(region, &span);
		if (i == 50)
			work_for(LONG_NS);
		selfmon_async_end(&span);
	}
	report = rows_take();
	cr_expect_geq(slowest(report, "span")->ns, LONG_LEAST_NS);
	cr_expect_eq(kept(report, "span", NULL), SELFMON_SLOW_VISITS);
	cr_expect(rows_say(report, SELFMON_JSON, "\"detached\": true"));
	selfmon_report_free(report);
}

static void pause_once(struct job *job)
{
	SELFMON_REGION("paused") {
		visit("b", 0);
		job_pause(job);
	}
}

/*
 * While the fiber is suspended, the thread does other things, which do not
 * belong to the visit.
 */
Test(slowest, of_a_fiber_say_that_they_were_suspended)
{
	const struct selfmon_slow *slow;
	struct selfmon_report *report;
	struct job job;

	record();
	job_make(&job, "fiber", pause_once);
	job_run(&job);
	visit("c", LONG_NS);
	job_run(&job);
	job_end(&job);
	report = rows_take();
	slow = slowest(report, "paused");
	cr_expect((slow->flags & SELFMON_SLOW_RESUMED) != 0);
	cr_expect_eq(slow->parts, 0);
	cr_expect_lt(slow->ns, LONG_NS);
	cr_expect(rows_say(report, SELFMON_JSON, "\"suspended\": true"));
	selfmon_report_free(report);
}
