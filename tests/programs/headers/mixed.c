/* SPDX-License-Identifier: MIT */
/*
 * The regions of this file are measured. It is linked with uses.c, which is
 * compiled with SELFMON_DISABLE.
 */
#include <errno.h>

#include <selfmon.h>

int uses(const char *name, int n);

static uint64_t visits(const struct selfmon_report *report, const char *name)
{
	const struct selfmon_row *const row =
		selfmon_report_find(report, &name, 1);

	return row ? row->visits : 0;
}

int main(void)
{
	struct selfmon_report *report;
	struct selfmon_counters *set;
	int wrong = 0;

	SELFMON_REGION("measured")
		wrong += uses("named", 3) != -2 * ENOSYS + 2;
	wrong += selfmon_counters_open("", 0, &set, NULL) != 0 || !set;
	selfmon_counters_close(set);
	if (selfmon_report_take(&report) != 0)
		return 1;
	wrong += selfmon_report_row_count(report) != 1;
	wrong += visits(report, "measured") != 1;
	selfmon_report_free(report);
	return wrong;
}
