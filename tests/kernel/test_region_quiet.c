/* SPDX-License-Identifier: MIT */
/*
 * Proves that after the first visit a region makes no system call, takes no
 * lock and allocates nothing.
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "forbid.h"
#include "store/lock.h"
#include "store/process.h"
#include "rows.h"
#include "sanitizer.h"

static void visit(struct selfmon_region *span)
{
	struct selfmon_frame frame;

	SELFMON_REGION("outer")
	{
		SELFMON_SCOPE("scope");
		SELFMON_BEGIN(tag, "begin");
		selfmon_enter(span, &frame);
		selfmon_leave(&frame);
		SELFMON_END(tag);
	}
}

/*
 * Exits with 0; with 2 if there is no filter; with 3 if a visit allocated
 * memory. After the first visit, a system call kills the process. Waiting for a
 * lock takes a system call, and this function holds the locks of the process
 * and of reports.
 */
static void child(int visits, int calls)
{
	struct selfmon_region *span = selfmon_region("span");
	size_t allocated;
	int i;

	visit(span);
	allocated = mallinfo2().uordblks;
	selfmon_process_lock(selfmon_process());
	pthread_mutex_lock(&selfmon_process()->report_lock);
	if (forbid_system_calls())
		_exit(2);
	for (i = 0; i < visits; i++)
		visit(span);
	if (mallinfo2().uordblks != allocated)
		_exit(3);
	while (calls-- > 0)
		syscall(SYS_getppid);
	_exit(0);
}

static int run(int visits, int calls)
{
	const pid_t pid = fork();
	int status;

	if (pid == 0)
		child(visits, calls);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	return status;
}

Test(region_quiet, no_system_call_from_the_second_visit_on)
{
	int status;

	SKIP_IF_SANITIZED("it makes system calls of its own");
	status = run(1000000, 0);
	cr_assert(WIFEXITED(status), "killed by signal %d", WTERMSIG(status));
	cr_assert_eq(WEXITSTATUS(status), 0);
}

Test(region_quiet, the_filter_would_have_killed)
{
	const int status = run(10, 1);

	cr_assert(WIFSIGNALED(status));
	cr_assert_eq(WTERMSIG(status), SIGSYS);
}

/*
 * Documents a limit: a region's first visit makes system calls, so a seccomp
 * filter that kills must allow them.
 */
static void first_visits(void)
{
	SELFMON_REGION("outer")
	{
		if (forbid_system_calls())
			_exit(2);
		SELFMON_REGION("new")
		{
		}
	}
	_exit(0);
}

Test(region_quiet, a_regions_first_visit_makes_system_calls)
{
	int status;
	pid_t pid;

	pid = fork();
	if (pid == 0)
		first_visits();
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFSIGNALED(status), "status %#x", (unsigned int)status);
	cr_assert_eq(WTERMSIG(status), SIGSYS);
}
