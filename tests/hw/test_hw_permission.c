/* SPDX-License-Identifier: MIT */
/*
 * Tests machines with fewer permissions: what is counted instead, with which
 * verdict, and the messages to the user.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hw/nops.h"
#include "hw/settings.h"
#include "hw/tool.h"

#define RDPMC "/sys/bus/event_source/devices/cpu/rdpmc"
#define USER_ACCESS "/proc/sys/kernel/perf_user_access"
#define PARANOID "/proc/sys/kernel/perf_event_paranoid"
#define WATCHDOG "/proc/sys/kernel/nmi_watchdog"

/* User and group id of an unprivileged user. */
#define ORDINARY 65534

/* Returns the file whose setting permits user reads of events opened later. */
static const char *user_reads_path(void)
{
	if (!access(USER_ACCESS, F_OK))
		return USER_ACCESS;
	if (access(RDPMC, F_OK))
		cr_skip_test("no setting forbids user reads here");
	return RDPMC;
}

/* ---- user reads ---------------------------------------------------------- */

Test(hw_permission, without_user_reads_counts_come_by_system_call)
{
	struct selfmon_counter_info info = { .size = sizeof(info) };
	struct selfmon_delta one, many;
	struct selfmon_counters *counters;

	hw_require_guest();
	hw_require_pmu();
	setting_write(user_reads_path(), "0");
	counters = hw_open("instructions");
	cr_assert_eq(selfmon_counters_info(counters, 0, &info), 0);
	cr_assert_eq(info.verdict, SELFMON_SYSCALL);
	nops_visit(counters, 1, &one);
	nops_visit(counters, 1001, &many);
	cr_assert_eq(many.value[0].verdict, SELFMON_SYSCALL);
	cr_assert(many.flags & SELFMON_DELTA_SLOW);
	if (hw_exact())
		cr_assert_eq(many.value[0].count - one.value[0].count,
			     1000 * NOPS_TURN);
	selfmon_counters_close(counters);
}

/*
 * A set checks its pages when it is opened. Even without this check, each read
 * finds that the page has no counter.
 */
Test(hw_permission, a_page_without_a_counter_sends_each_read_to_the_kernel)
{
	struct selfmon_counters *counters;
	struct perf_event_attr attr;
	const struct selfmon_page *page;
	uint64_t value = 1;
	uint32_t moved = 0;
	int fd;

	hw_require_guest();
	hw_require_pmu();
	tool_require_twins();
	/* Opened before the setting changes, so this event keeps user reads. */
	counters = hw_open("instructions");
	setting_write(user_reads_path(), "0");
	tool_attr(&attr, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	fd = tool_open(&attr, 0, -1, -1);
	page = tool_map(fd);
	tool_enable(fd);
	cr_assert_not(selfmon_page_read(page, 16, &value, &moved));
	cr_assert_eq(value, 1);
	cr_assert_gt(tool_read(fd).value, 0);
	selfmon_counters_close(counters);
}

Test(hw_permission, the_report_tells_what_was_read_by_system_call_and_why)
{
	hw_require_guest();
	hw_require_pmu();
	setting_write(user_reads_path(), "0");
	take_exit_report("instructions", 0);
	ASSERT_REPORT_SAYS("events instructions: read by system call, user "
			   "mode only");
	take_exit_report("auto", 0);
	ASSERT_REPORT_SAYS("events auto: time only");
	ASSERT_REPORT_SAYS("hardware events can be counted here, but not read "
			   "in user space");
	ASSERT_REPORT_SAYS(!strcmp(user_reads_path(), RDPMC)
				   ? "As root: echo 1 > " RDPMC
				   : "As root: sysctl -w "
				     "kernel.perf_user_access=1");
}

/* ---- paranoid ------------------------------------------------------------ */

/*
 * Runs body in a child that is an unprivileged user. The result of body is the
 * exit status.
 */
static int as_ordinary(int (*body)(void))
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		if (setuid(ORDINARY))
			_exit(2);
		_exit(body());
	}
	return hw_wait(pid);
}

/* Returns 0 if the event is refused, and the message has these words. */
static int refused(const char *event, int error, const char *words)
{
	struct selfmon_failure failure;
	struct selfmon_counters *counters;
	char text[1024];

	if (selfmon_counters_open(event, SELFMON_COUNTERS_STRICT, &counters,
				  &failure) != error)
		return 3;
	if (selfmon_counters_open(event, 0, &counters, &failure) != 0)
		return 4;
	selfmon_explain(&failure, text, sizeof(text));
	if (strstr(text, words))
		return 0;
	printf("no \"%s\" in: %s\n", words, text);
	fflush(stdout);
	return 5;
}

static int all_refused(void)
{
	return refused("instructions", -EACCES,
		       "kernel refuses every event while perf_event_paranoid "
		       "is 3. As root: sysctl -w kernel.perf_event_paranoid=2");
}

static int kernel_mode_refused(void)
{
	return refused("instructions:k", -EACCES,
		       "needs perf_event_paranoid <= 1, and it is 2. As root: "
		       "sysctl -w kernel.perf_event_paranoid=1");
}

/* Returns 0 if instructions are counted in user mode. */
static int user_mode_counted(void)
{
	struct selfmon_counters *counters;
	struct selfmon_delta one, many;

	if (selfmon_counters_open("instructions", SELFMON_COUNTERS_STRICT,
				  &counters, NULL) != 1)
		return 3;
	nops_visit(counters, 1, &one);
	nops_visit(counters, 1001, &many);
	if (many.value[0].verdict != SELFMON_EXACT &&
	    !(counters->flags & SELFMON_IMPL_SET_SYSCALL))
		return 4;
	return many.value[0].count - one.value[0].count < 1000 * NOPS_TURN;
}

Test(hw_permission, level_3_refuses_an_ordinary_user_all_events)
{
	hw_require_guest();
	hw_require_pmu();
	setting_write(PARANOID, "3");
	/* Only kernels with Debian's or a similar patch know this level. */
	if (as_ordinary(user_mode_counted) == 0)
		cr_skip_test("this kernel's level 3 is as level 2");
	cr_assert_eq(as_ordinary(all_refused), 0);
	take_exit_report("instructions,cycles", ORDINARY);
	ASSERT_REPORT_SAYS("events time only");
	ASSERT_REPORT_SAYS("counters off Debian's kernel refuses every event "
			   "while perf_event_paranoid is 3; as root: sysctl -w "
			   "kernel.perf_event_paranoid=2");
	ASSERT_REPORT_SAYS("not counted instructions, cycles");
	cr_assert_eq(user_mode_counted(), 0, "root is not asked");
}

Test(hw_permission, level_2_gives_an_ordinary_user_what_user_mode_counts)
{
	hw_require_guest();
	hw_require_pmu();
	setting_write(PARANOID, "2");
	cr_assert_eq(as_ordinary(user_mode_counted), 0);
	cr_assert_eq(as_ordinary(kernel_mode_refused), 0);
	take_exit_report("instructions,cycles:k", ORDINARY);
	ASSERT_REPORT_SAYS("cycles:k: not counted: needs perf_event_paranoid "
			   "<= 1, and it is 2");
	ASSERT_REPORT_SAYS("instructions: read ");
}

/* ---- no free counter ----------------------------------------------------- */

Test(hw_permission, without_a_pmu_time_alone_is_measured)
{
	struct selfmon_failure failure;
	struct selfmon_counters *counters;

	if (selfmon_counters_open("instructions", SELFMON_COUNTERS_STRICT,
				  &counters, &failure) >= 0)
		cr_skip_test("this machine has a PMU");
	if (failure.error != ENOENT)
		cr_skip_test("events are refused for another reason");
	assert_explained(&failure, " PMU");
	cr_assert_eq(selfmon_counters_open("instructions", 0, &counters, NULL),
		     0);
	selfmon_counters_close(counters);
	take_exit_report("instructions", 0);
	ASSERT_REPORT_SAYS("events time only");
	ASSERT_REPORT_SAYS(" PMU");
	ASSERT_REPORT_SAYS("measured");
}

/*
 * Returns how many events `cycles` fit on the PMU. Leaves the last list tried
 * in spec: it has one event more, unless the limit of a set was reached.
 */
static size_t most_at_once(char *spec, size_t size)
{
	struct selfmon_counters *counters;
	size_t most = 0, length = 0;
	int count;

	for (;;) {
		length += (size_t)snprintf(spec + length, size - length,
					   "%scycles", length ? "," : "");
		count = selfmon_counters_open(spec, SELFMON_COUNTERS_ONE_GROUP,
					      &counters, NULL);
		selfmon_counters_close(counters);
		if (count <= (int)most)
			return most;
		most = (size_t)count;
		if (most == SELFMON_MAX_COUNTERS)
			return most;
	}
}

/*
 * The watchdog has a pinned event `cycles` on each CPU, which holds a counter.
 */
Test(hw_permission, the_nmi_watchdogs_counter_is_missed_and_named)
{
	struct selfmon_counter_info info = { .size = sizeof(info) };
	struct selfmon_counters *counters;
	char spec[128], group[sizeof(spec) + 2];
	size_t most;

	hw_require_guest();
	hw_require_pmu();
	if (strcmp(SELFMON_ARCH_NAME, "x86-64") != 0)
		cr_skip_test("not known to count by perf on this machine");
	if (access(WATCHDOG, W_OK))
		cr_skip_test("this kernel has no NMI watchdog");
	setting_write(WATCHDOG, "0");
	most = most_at_once(spec, sizeof(spec));
	if (most == SELFMON_MAX_COUNTERS)
		cr_skip_test("a set cannot have all counters of this PMU");
	spec[most * strlen("cycles,") - 1] = '\0';
	hw_write_file(WATCHDOG, "1");
	if (!hw_read_number(WATCHDOG, ""))
		cr_skip_test("the NMI watchdog does not start here");
	cr_assert_eq(selfmon_counters_open(spec, SELFMON_COUNTERS_ONE_GROUP,
					   &counters, NULL), (int)most - 1);
	cr_assert_eq(selfmon_counters_info(counters, most - 1, &info), 0);
	cr_assert_eq(info.verdict, SELFMON_NOT_COUNTED);
	assert_explained(
		info.failure,
		"the group opens but never runs: the PMU's counters are in use "
		"elsewhere. As root: sysctl -w kernel.nmi_watchdog=0 frees "
		"one");
	selfmon_counters_close(counters);
	snprintf(group, sizeof(group), "{%s}", spec);
	take_exit_report(group, 0);
	ASSERT_REPORT_SAYS("kernel.nmi_watchdog=0 frees one");
}

/* The watchdog was enabled at boot. */
Test(hw_permission, events_that_fit_beside_the_watchdog_are_exact)
{
	struct selfmon_counters *counters;
	struct selfmon_delta one, many;

	if (access(WATCHDOG, F_OK) || !hw_read_number(WATCHDOG, ""))
		cr_skip_test("no NMI watchdog runs");
	counters = hw_open("instructions,cycles");
	hw_require_user_reads(counters);
	nops_visit(counters, 1, &one);
	nops_visit(counters, 100001, &many);
	cr_assert_eq(many.value[0].verdict, SELFMON_EXACT);
	cr_assert_eq(many.value[1].verdict, SELFMON_EXACT);
	if (hw_exact())
		cr_assert_eq(many.value[0].count - one.value[0].count,
			     100000 * NOPS_TURN);
	selfmon_counters_close(counters);
}

/*
 * Opens pinned events for the whole CPU until no more fit. Each holds a counter
 * permanently.
 */
static void hold_all_counters(void)
{
	static const uint64_t held[] = { PERF_COUNT_HW_CPU_CYCLES,
					 PERF_COUNT_HW_REF_CPU_CYCLES,
					 PERF_COUNT_HW_INSTRUCTIONS };
	struct perf_event_attr attr;
	struct tool_count count;
	size_t kind = 0;
	int fd;

	while (kind < sizeof(held) / sizeof(held[0])) {
		tool_attr(&attr, PERF_TYPE_HARDWARE, held[kind]);
		attr.pinned = 1;
		attr.exclude_kernel = 0;
		attr.disabled = 0;
		fd = tool_try(&attr, -1, 0, -1);
		/* read(2) returns 0 for an event that has lost its counter. */
		if (fd < 0 || read(fd, &count, sizeof(count)) <= 0)
			kind++;
	}
}

Test(hw_permission, a_group_that_never_runs_is_given_up_with_its_reason)
{
	struct selfmon_counters *counters;
	struct selfmon_failure failure;

	hw_require_guest();
	hw_require_pmu();
	if (!access(WATCHDOG, W_OK))
		setting_write(WATCHDOG, "0");
	hw_pin(0);
	hold_all_counters();
	cr_assert_eq(selfmon_counters_open("instructions,cycles",
					   SELFMON_COUNTERS_STRICT, &counters,
					   &failure),
		     -EBUSY);
	cr_assert_null(counters);
	cr_assert_eq(selfmon_counters_open("instructions,cycles", 0, &counters,
					   &failure),
		     0);
	assert_explained(&failure,
			      "the group opens but never runs: the PMU's "
			      "counters are in use elsewhere. Count fewer "
			      "events, or stop other profilers");
	selfmon_counters_close(counters);
	take_exit_report("instructions,cycles", 0);
	ASSERT_REPORT_SAYS("events time only");
	ASSERT_REPORT_SAYS("instructions, cycles: the group opens but never "
			   "runs");
}
