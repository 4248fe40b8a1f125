/* SPDX-License-Identifier: MIT */
/* Tests spans that one thread enters and another one leaves. */
#include <pthread.h>

#include "store/process.h"
#include "rows.h"

#define TIMES 1000

static void *leave_here(void *frame)
{
	selfmon_leave(frame);
	return NULL;
}

static void leave_elsewhere(struct selfmon_frame *frame)
{
	pthread_t other;

	cr_assert_eq(pthread_create(&other, NULL, leave_here, frame), 0);
	pthread_join(other, NULL);
}

static void *enter_and_end(void *handle)
{
	struct selfmon_frame frame;

	selfmon_enter(handle, &frame);
	leave_elsewhere(&frame);
	return NULL;
}

Test(region_elsewhere, a_leave_on_another_thread_is_counted_and_said)
{
	struct selfmon_report *report;
	pthread_t owner;

	cr_assert_eq(pthread_create(&owner, NULL, enter_and_end,
				    selfmon_region("passed on")), 0);
	pthread_join(owner, NULL);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "passed on")->visits, 0);
	cr_assert_eq(ROWS_GET(report, "passed on")->cut_off, 1);
	cr_assert_eq(selfmon_process()->stale, 1);
	cr_assert(rows_say(report, SELFMON_TEXT, "was already closed, or"));
	selfmon_report_free(report);
}

Test(region_elsewhere, its_owner_goes_on)
{
	struct selfmon_region *const inside = selfmon_region("inside");
	struct selfmon_report *report;
	struct selfmon_frame frame;
	int i;

	SELFMON_REGION("around")
	{
		selfmon_enter(selfmon_region("passed on"), &frame);
		leave_elsewhere(&frame);
		for (i = 0; i < TIMES; i++)
			SELFMON_REGION_OF(inside)
			{
			}
	}
	report = rows_take();
	rows_check(report);
	cr_assert_eq(ROWS_GET(report, "around")->visits, 1);
	cr_assert_eq(ROWS_GET(report, "around", "passed on", "inside")->visits,
		     TIMES);
	selfmon_report_free(report);
}
