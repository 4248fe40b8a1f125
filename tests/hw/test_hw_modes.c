/* SPDX-License-Identifier: MIT */
/*
 * Tests which modes are counted: the kernel is excluded if the PMU can exclude
 * it. If not (riscv64 without Sscofpmf), both modes are counted, and the value
 * is marked.
 */
#include <unistd.h>

#include "counters/set.h"
#include "hw/hw.h"
#include "hw/settings.h"

TestSuite(hw_modes, .init = hw_require_pmu);

static bool counts_the_kernel(const char *spec)
{
	struct selfmon_counter_info info = { .size = sizeof(info) };
	struct selfmon_counters *const set = hw_open(spec);
	bool kernel;

	cr_assert_eq(selfmon_counters_info(set, 0, &info), 0);
	kernel = info.kernel;
	selfmon_counters_close(set);
	return kernel;
}

/* Returns the count of 100 system calls minus that of an empty visit. */
static uint64_t counted_of_calls(const char *spec)
{
	struct selfmon_counters *const set = hw_open(spec);
	struct selfmon_snapshot a, b, c;
	struct selfmon_delta nothing, calls;
	int i;

	selfmon_counters_begin(set, &a);
	selfmon_counters_end(set, &b);
	selfmon_counters_delta(set, &a, &b, &nothing);
	selfmon_counters_begin(set, &b);
	for (i = 0; i < 100; i++)
		getppid();
	selfmon_counters_end(set, &c);
	selfmon_counters_delta(set, &b, &c, &calls);
	cr_assert_neq(calls.value[0].verdict, SELFMON_NOT_COUNTED);
	selfmon_counters_close(set);
	return calls.value[0].count - nothing.value[0].count;
}

/*
 * A system call takes some instructions in user mode and some hundred in the
 * kernel.
 */
Test(hw_modes, a_value_is_marked_by_what_it_counts)
{
	const bool kernel = counts_the_kernel("instructions");
	const uint64_t each = counted_of_calls("instructions") / 100;

	if (kernel)
		cr_assert_gt(each, 60, "%lu a call", (unsigned long)each);
	else
		cr_assert_leq(each, 60, "%lu a call", (unsigned long)each);
}

Test(hw_modes, a_report_says_which_modes_were_counted)
{
	take_exit_report("instructions", 0);
	ASSERT_REPORT_SAYS(counts_the_kernel("instructions")
				   ? "user and kernel mode"
				   : "user mode only");
}

/* With :u, either only user mode is counted, or the event is not counted. */
Test(hw_modes, user_mode_that_was_asked_for_is_not_quietly_more)
{
	struct selfmon_counters *set;
	struct selfmon_failure failure;

	if (!counts_the_kernel("instructions")) {
		cr_assert_not(counts_the_kernel("instructions:u"));
		return;
	}
	cr_assert_lt(selfmon_counters_open("instructions:u",
					   SELFMON_COUNTERS_STRICT, &set,
					   &failure), 0);
	assert_explained(&failure, "user mode alone");
}

static int open_as_nobody(void)
{
	struct selfmon_counters *set;

	if (setuid(65534))
		return 2;
	return selfmon_counters_open("instructions", SELFMON_COUNTERS_STRICT,
				     &set, NULL) < 0;
}

/*
 * At level 2 an unprivileged user gets counts of user mode or an error, but
 * never counts of the kernel.
 */
Test(hw_modes, an_ordinary_user_is_not_given_the_kernel)
{
	const bool kernel = counts_the_kernel("instructions");
	pid_t pid;

	setting_write("/proc/sys/kernel/perf_event_paranoid", "2");
	pid = fork();
	if (pid == 0)
		_exit(open_as_nobody());
	cr_assert_eq(hw_wait(pid), kernel ? 1 : 0);
}
