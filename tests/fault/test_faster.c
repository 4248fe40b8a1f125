/* SPDX-License-Identifier: MIT */
/*
 * Tests that another thread may be the first to store the fork token, or a page
 * of the table of descriptors.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counters/fd_table.h"
#include "dummy_event.h"
#include "fault/kernel_faults.h"
#include "platform/fork.h"

TestSuite(faster, .init = kernel_faults_clear);

static int32_t token_of_the_other;

static void ask_for_the_token(void)
{
	token_of_the_other = selfmon_fork_token();
}

Test(faster, both_go_by_one_token)
{
	kernel_faults.meanwhile = ask_for_the_token;
	cr_assert_eq(selfmon_fork_token(), token_of_the_other);
	cr_assert_eq(selfmon_fork_token(), token_of_the_other);
	cr_assert_gt(token_of_the_other, 0);
}

static int mine, others;

static void open_both(void)
{
	mine = dummy_event_open();
	others = fcntl(mine, F_DUPFD_CLOEXEC, 0);
	cr_assert_geq(others, 0);
}

static void note_the_others(void)
{
	selfmon_fd_table_add(others);
}

Test(faster, a_child_closes_what_either_has_noted)
{
	pid_t child;
	int status;

	open_both();
	selfmon_fd_table_begin();
	kernel_faults.meanwhile = note_the_others;
	cr_assert_gt(selfmon_fd_table_add(mine), 0);
	child = fork();
	if (child == 0) {
		selfmon_fd_table_begin();
		_exit((fcntl(mine, F_GETFD) >= 0) +
		      2 * (fcntl(others, F_GETFD) >= 0));
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0, "left open: %d", WEXITSTATUS(status));
}
