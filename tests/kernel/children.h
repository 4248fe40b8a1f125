/* SPDX-License-Identifier: MIT */
/*
 * For tests with child processes that visit a region and check their own
 * report.
 */
#ifndef SELFMON_TESTS_CHILDREN_H
#define SELFMON_TESTS_CHILDREN_H

#include <sys/wait.h>
#include <unistd.h>

#include "rows.h"

static inline void visit(void)
{
	SELFMON_REGION("visit")
	{
	}
}

static inline int status_of(pid_t pid)
{
	int status;

	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFEXITED(status), "signal %d", WTERMSIG(status));
	return WEXITSTATUS(status);
}

/*
 * Called in a child. Returns 0 if the child's report has one row, "visit", with
 * this number of visits: nothing of the parent is in the report.
 */
static inline int own_work_only(uint64_t visits)
{
	struct selfmon_report *report;
	const struct selfmon_row *row;
	int result = 1;

	if (selfmon_report_take(&report))
		return 2;
	row = ROWS_FIND(report, "visit");
	if (row && row->visits == visits && selfmon_report_row_count(report) == 1)
		result = 0;
	selfmon_report_free(report);
	return result;
}

#endif
