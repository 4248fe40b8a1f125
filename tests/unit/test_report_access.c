/* SPDX-License-Identifier: MIT */
/* Tests the API functions for the columns and notes of a report. */
#include <errno.h>
#include <string.h>

#include <selfmon/version.h>

#include "report/model.h"
#include "test_report_model.h"

static struct selfmon_report report = {
	.columns = 2,
	.column = { { .name = "cycles",
		      .verdict = SELFMON_EXACT,
		      .kernel = true,
		      .reason = "left from another process" },
		    { .name = "cache-misses",
		      .verdict = SELFMON_NOT_COUNTED,
		      .reason = "this machine has no PMU" } },
	.notes = 1,
	.note = { "SELFMON_EVRY is unknown" },
};

Test(report_access, a_column_has_its_verdict_and_its_reason)
{
	struct selfmon_column_info info = { .size = sizeof(info) };

	cr_assert_eq(selfmon_report_column_count(&report), 2);
	cr_assert_eq(selfmon_report_column_info(&report, 0, &info), 0);
	cr_assert_str_eq(info.name, "cycles");
	cr_assert_eq(info.verdict, SELFMON_EXACT);
	cr_assert(info.kernel);
	cr_assert_str_eq(info.reason, "");
	cr_assert_eq(selfmon_report_column_info(&report, 1, &info), 0);
	cr_assert_eq(info.verdict, SELFMON_NOT_COUNTED);
	cr_assert_not(info.kernel);
	cr_assert_str_eq(info.reason, "this machine has no PMU");
	cr_assert_eq(selfmon_report_column_info(&report, 2, &info), -ENOENT);
	info.size--;
	cr_assert_eq(selfmon_report_column_info(&report, 0, &info), -EINVAL);
}

Test(report_access, notes_are_sentences)
{
	cr_assert_eq(selfmon_report_note_count(&report), 1);
	cr_assert_str_eq(selfmon_report_note(&report, 0),
			 "SELFMON_EVRY is unknown");
	cr_assert_null(selfmon_report_note(&report, 1));
}

Test(report_access, the_library_names_its_version)
{
	cr_assert_str_eq(selfmon_version(), SELFMON_VERSION);
}
