/* SPDX-License-Identifier: MIT */
/* Regions and forked children. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "region/process.h"
#include "rows.h"

static void visit(void)
{
	SELFMON_REGION("visit")
	{
	}
}

/* In the child: 0 if its report holds exactly what it did itself. */
static int own_work_only(uint64_t visits)
{
	struct selfmon_report *report;
	const struct selfmon_row *row;
	int result = 1;

	if (selfmon_report_take(&report))
		return 2;
	row = ROWS_FIND(report, "visit");
	if (row && row->visits == visits && selfmon_report_rows(report) == 1)
		result = 0;
	selfmon_report_free(report);
	return result;
}

static int status_of(pid_t pid)
{
	int status;

	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFEXITED(status), "signal %d", WTERMSIG(status));
	return WEXITSTATUS(status);
}

Test(region_fork, a_child_counts_its_own_work_from_zero)
{
	pid_t pid;
	int i;

	for (i = 0; i < 5; i++)
		visit();
	pid = fork();
	if (pid == 0) {
		visit();
		visit();
		_exit(own_work_only(2));
	}
	cr_assert_eq(status_of(pid), 0);
}

Test(region_fork, a_fork_inside_of_a_region_leaves_the_childs_visit_out)
{
	struct selfmon_report *report;
	pid_t pid;

	SELFMON_REGION("around")
	{
		pid = fork();
	}
	visit();
	if (pid == 0)
		_exit(own_work_only(1));
	cr_assert_eq(status_of(pid), 0);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "around")->visits, 1);
	selfmon_report_free(report);
}

Test(region_fork, a_child_with_counters_touches_no_page_of_its_parent)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	pid_t pid;

	options.events = "page-faults,task-clock";
	cr_assert_eq(selfmon_configure(&options), 0);
	SELFMON_REGION("around")
	{
		pid = fork();
	}
	if (pid == 0) {
		visit();
		_exit(own_work_only(1));
	}
	cr_assert_eq(status_of(pid), 0);
}

Test(region_fork, a_grandchild_starts_afresh_too)
{
	pid_t pid, grandchild;
	int status;

	visit();
	pid = fork();
	if (pid == 0) {
		visit();
		grandchild = fork();
		if (grandchild == 0) {
			visit();
			visit();
			visit();
			_exit(own_work_only(3));
		}
		if (waitpid(grandchild, &status, 0) != grandchild ||
		    !WIFEXITED(status) || WEXITSTATUS(status))
			_exit(3);
		_exit(own_work_only(1));
	}
	cr_assert_eq(status_of(pid), 0);
}
