/* SPDX-License-Identifier: MIT */
/* Tests the slowest visits in text reports. */
#include "report/slow_visits.h"
#include "test_report_model.h"

/* Returns a report whose only slow visit is of "split", below "main". */
static struct selfmon_report *with_slow(struct selfmon_slow slow)
{
	struct selfmon_report *const report = model_time();
	struct selfmon_slow_list *const list =
		calloc(1, sizeof(*list) + sizeof(list->visit[0]));

	cr_assert(list);
	slow.region = "split";
	slow.ns = 13100000;
	slow.cpu = UINT32_MAX;
	list->visits = 1;
	list->visit[0] = slow;
	selfmon_slow_settle(&list->visit[0]);
	report->slow = list;
	return report;
}

static void assert_said(const struct selfmon_report *report, const char *view,
			const char *what)
{
	const char *const text = model_viewed(report, SELFMON_TEXT, view);

	cr_assert(strstr(text, what), "%s: no %s in %s", view, what, text);
}

/* The mean is over all rows, also over those that the view does not show. */
Test(report_text_slowest, have_the_regions_mean_in_each_view)
{
	static const char *const view[] = { "top=0", "depth=1", "find=count",
					    "flat;top=1", "top=1" };
	struct selfmon_report *const report =
		with_slow((struct selfmon_slow){ .ns = 0 });
	size_t i;

	for (i = 0; i < sizeof(view) / sizeof(view[0]); i++)
		assert_said(report, view[i], "split  (mean 12.2 us)");
	selfmon_report_free(report);
}

static struct selfmon_slow with_parts(void)
{
	return (struct selfmon_slow){
		.inner = 2,
		.parts = 2,
		.part = { { "sort", SELFMON_PART_VISIT, false, 0, 500 },
			  { "", SELFMON_PART_BLOCKED, false, 500, 3000000 } }
	};
}

Test(report_text_slowest, have_all_their_times_off_the_cpu)
{
	struct selfmon_slow slow = with_parts();
	struct selfmon_report *report;

	slow.off_known = true;
	slow.off_cpu = (struct selfmon_off_cpu){ .blocked_ns = 9000000,
						 .blocked = 3,
						 .preempted_ns = 40000,
						 .preempted = 1 };
	report = with_slow(slow);
	assert_said(report, "top=0",
		    ", blocked 9.00 ms (3 times), preempted 40.0 us; inside: "
		    "sort");
	selfmon_report_free(report);
}

/* Reports of older libraries have no sums. */
Test(report_text_slowest, have_the_known_times_off_the_cpu_without_a_sum)
{
	struct selfmon_report *const report = with_slow(with_parts());

	assert_said(report, "top=0", ", blocked 3.00 ms; inside: sort");
	selfmon_report_free(report);
}

Test(report_text_slowest, say_that_only_a_part_of_the_inside_is_known)
{
	struct selfmon_slow slow = with_parts();
	struct selfmon_report *report;

	slow.inner = 4096;
	slow.flags = SELFMON_SLOW_OVERWRITTEN;
	slow.known_ns = 8000;
	report = with_slow(slow);
	assert_said(report, "top=0", "; inside at least: sort");
	assert_said(report, "top=0", "longest of more than 4096 parts");
	assert_said(report, "top=0", "ended in its first 8.00 us");
	selfmon_report_free(report);
}

/* Visits inside that are too short to be listed are not counted. */
Test(report_text_slowest, say_that_visits_inside_may_be_more)
{
	struct selfmon_slow slow = with_parts();
	struct selfmon_report *report;

	slow.part[1] = (struct selfmon_slow_moment){
		"sort", SELFMON_PART_VISIT, false, 600, 500
	};
	report = with_slow(slow);
	assert_said(report, "top=0", "inside: sort 1.00 us (at least 2 times)");
	selfmon_report_free(report);
}
