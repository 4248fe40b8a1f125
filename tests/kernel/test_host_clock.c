/* SPDX-License-Identifier: MIT */
/*
 * Tests the perf event that the library's clock may open: forked children
 * inherit its descriptor, and must close it.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "children.h"
#include "holds.h"
#include "sanitizer.h"

#define HELD 2 /* descriptors of a thread with events */

/*
 * Makes the clock open its event, which has a descriptor. Skips the test if the
 * clock needs no event.
 */
static void open_clock(void)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = "page-faults,task-clock";
	cr_assert_eq(selfmon_configure(&options), 0);
	visit();
	selfmon_clock();
	if (holds_events_from(0) == HELD)
		cr_skip_test("the clock needs no event here");
	cr_assert_eq(holds_events_from(0), HELD + 1);
}

static void expect_no_clock(pid_t pid)
{
	if (pid == 0) {
		visit();
		_exit(holds_events_from(0) != HELD);
	}
	cr_assert_eq(status_of(pid), 0);
	cr_assert_eq(holds_events_from(0), HELD + 1);
}

Test(host_processes, a_child_closes_its_parents_clock_at_its_first_visit)
{
	open_clock();
	expect_no_clock(fork());
}

Test(host_processes, so_does_one_by_raw_clone)
{
	SKIP_IF_SANITIZED("it does not see raw clone");
	open_clock();
	expect_no_clock((pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL,
				       0));
}

Test(host_processes, a_child_with_a_set_alone_closes_it_too)
{
	struct selfmon_counters *set;
	pid_t pid;

	open_clock();
	pid = fork();
	if (pid == 0) {
		if (selfmon_counters_open("page-faults", 0, &set, NULL) != 1)
			_exit(10);
		selfmon_counters_close(set);
		_exit(holds_events_from(0) != 0);
	}
	cr_assert_eq(status_of(pid), 0);
}
