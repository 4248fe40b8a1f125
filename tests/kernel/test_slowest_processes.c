/* SPDX-License-Identifier: MIT */
/*
 * Tests the slowest visits of forked processes, and of killed ones in live
 * files.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/slow.h"

Test(slowest, of_a_child_begin_at_none)
{
	pid_t child;
	int status;

	record();
	visit("a", LONG_NS);
	child = fork();
	cr_assert_geq(child, 0);
	if (!child) {
		struct selfmon_report *report;
		bool right;

		visit("b", 0);
		report = rows_take();
		right = kept(report, "a", NULL) == 0 &&
			kept(report, "b", NULL) == 1;
		_exit(!right);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

Test(slowest, outlive_a_killed_process_in_a_live_file)
{
	struct selfmon_options options = slow_options("none");
	struct selfmon_report *report;
	const struct selfmon_slow *slow;
	char path[64];
	pid_t child;
	int status, i;

	snprintf(path, sizeof(path), "/dev/shm/selfmon-test-slowest-%d",
		 (int)getpid());
	child = fork();
	cr_assert_geq(child, 0);
	if (!child) {
		options.live = path;
		if (selfmon_configure(&options))
			_exit(1);
		for (i = 0; i < 100; i++)
			request(i == 50);
		raise(SIGKILL);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFSIGNALED(status));
	cr_assert_eq(selfmon_report_open(path, &report, NULL), 0);
	unlink(path);
	slow = slow_with(report, "request", "store", LONG_LEAST_NS);
	cr_expect_eq(kept(report, "request", NULL), SELFMON_SLOW_VISITS);
	cr_expect_geq(slow->ns, LONG_LEAST_NS);
	cr_assert_eq(slow->parts, 3);
	cr_expect_str_eq(slow->part[2].region, "store");
	cr_expect_eq(slow->tid, (uint32_t)child);
	selfmon_report_free(report);
}

/*
 * Each round kills the process after another delay, perhaps while the process
 * records a visit.
 */
Test(slowest, are_whole_if_the_process_was_killed_while_writing)
{
	struct selfmon_options options = slow_options("none");
	char path[64];
	int round, status;

	snprintf(path, sizeof(path), "/dev/shm/selfmon-test-torn-%d",
		 (int)getpid());
	for (round = 0; round < 20; round++) {
		const struct selfmon_slow *first = NULL;
		struct selfmon_report *report;
		int begun[2];
		pid_t child;
		size_t i;
		char c;

		cr_assert_eq(pipe(begun), 0);
		child = fork();
		cr_assert_geq(child, 0);
		if (!child) {
			uint64_t ns;

			options.live = path;
			if (selfmon_configure(&options))
				_exit(1);
			for (ns = 0;; ns += 200) { /* each visit is kept */
				SELFMON_REGION("a")
					visit("b", ns);
				if (ns == 200 * 20 &&
				    write(begun[1], "", 1) != 1)
					_exit(1);
			}
		}
		cr_assert_eq(read(begun[0], &c, 1), 1);
		usleep((useconds_t)(round * 37));
		kill(child, SIGKILL);
		cr_assert_eq(waitpid(child, &status, 0), child);
		close(begun[0]);
		close(begun[1]);
		cr_assert_eq(selfmon_report_open(path, &report, NULL), 0);
		unlink(path);
		cr_expect_eq(kept(report, "a", &first), SELFMON_SLOW_VISITS);
		for (i = 0; i < SELFMON_SLOW_VISITS; i++) {
			cr_expect_eq(first[i].parts, 1);
			cr_expect_str_eq(first[i].part[0].region, "b");
			cr_expect_leq(first[i].part[0].ns, first[i].ns + 1);
		}
		selfmon_report_free(report);
	}
}
