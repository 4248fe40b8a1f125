/* SPDX-License-Identifier: MIT */
/* One visit in N measured: what the samples stand for. */
#include "rows.h"

static void visit_parent_often(void)
{
	int i;

	for (i = 0; i < 8; i++)
		SELFMON_REGION("sampled")
		{
			if (i == 0)
				SELFMON_REGION("once")
				{
				}
		}
}

Test(region_every, takes_a_childs_share_from_all_visits_of_its_parent)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	const struct selfmon_quantity *own, *child;
	struct selfmon_report *report;

	options.every = 4;
	cr_assert_eq(selfmon_configure(&options), 0);
	visit_parent_often();
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "sampled")->measured, 2);
	own = &ROWS_GET(report, "sampled")->time;
	child = &ROWS_GET(report, "sampled", "once")->time;
	cr_assert_eq(own->exclusive, (int64_t)(4 * own->sum - child->sum));
	selfmon_report_free(report);
}
