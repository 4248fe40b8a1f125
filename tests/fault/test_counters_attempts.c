/* SPDX-License-Identifier: MIT */
/* Tests a PMU that refuses optional attributes of an event. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "counters/group.h"
#include "counters/set.h"
#include "fault/kernel_faults.h"

#define LONG 1
#define USER 2

static struct selfmon_counters *set;
static struct selfmon_failure failure;

static void setup(void)
{
	kernel_faults_clear();
	kernel_faults.pmu = true;
}

static int open_set(const char *spec)
{
	return selfmon_counters_open(spec, 0, &set, &failure);
}

static bool counts_kernel(size_t i)
{
	struct selfmon_counter_info info = { .size = sizeof(info) };

	cr_assert_eq(selfmon_counters_info(set, i, &info), 0);
	cr_assert_null(info.failure);
	return info.kernel;
}

TestSuite(counters_attempts, .init = setup);

Test(counters_attempts, nothing_is_asked_for_where_nothing_has_to_be)
{
	cr_assert_eq(open_set("cycles"), 1);
	cr_assert_eq(kernel_faults.config1, 0);
	cr_assert(kernel_faults.excludes);
	cr_assert_eq(kernel_faults.call[FAULT_OPEN].calls, 1);
	selfmon_counters_close(set);
}

static uint64_t config1_with(uint64_t too_much)
{
	kernel_faults.ask = LONG | USER;
	kernel_faults.too_much = too_much;
	cr_assert_eq(open_set("cycles"), 1);
	cr_assert_not(counts_kernel(0));
	selfmon_counters_close(set);
	return kernel_faults.config1;
}

Test(counters_attempts, a_long_counter_then_a_short_one_then_none_to_read)
{
	cr_assert_eq(config1_with(0), LONG | USER);
	cr_assert_eq(config1_with(LONG), USER);
	cr_assert_eq(config1_with(LONG | USER), 0);
}

Test(counters_attempts, each_member_of_a_group_has_its_own_ladder)
{
	kernel_faults.ask = LONG | USER;
	kernel_faults_at(FAULT_OPEN, 2, EOPNOTSUPP);
	cr_assert_eq(open_set("cycles,instructions"), 2);
	cr_assert_eq(kernel_faults.config1, USER);
	cr_assert_eq(kernel_faults.call[FAULT_OPEN].calls, 3);
	selfmon_counters_close(set);
}

Test(counters_attempts, no_bit_of_config1_that_the_user_wrote_is_lost)
{
	struct selfmon_member member = {
		.event = { .name = "x", .type = PERF_TYPE_HARDWARE,
			   .flags = SELFMON_EVENT_HARDWARE, .config1 = 0x501 },
	};

	kernel_faults.ask = LONG | USER;
	cr_assert_eq(selfmon_group_open(&member, 1), 1);
	cr_assert_eq(kernel_faults.config1, 0x503);
	selfmon_group_release(&member, 1);
	kernel_faults.too_much = USER;
	cr_assert_eq(selfmon_group_open(&member, 1), 1);
	cr_assert_eq(kernel_faults.config1, 0x501);
	selfmon_group_release(&member, 1);
}

Test(counters_attempts, software_events_are_asked_for_nothing)
{
	kernel_faults.ask = LONG | USER;
	kernel_faults_at(FAULT_OPEN, 1, EOPNOTSUPP);
	cr_assert_eq(open_set("page-faults"), 0);
	cr_assert_eq(failure.error, EOPNOTSUPP);
	cr_assert_eq(kernel_faults.call[FAULT_OPEN].calls, 1);
	selfmon_counters_close(set);
}

Test(counters_attempts, a_pmu_without_modes_counts_both_and_says_so)
{
	kernel_faults.no_exclude = true;
	cr_assert_eq(open_set("cycles,instructions"), 2);
	cr_assert_not(kernel_faults.excludes);
	cr_assert(counts_kernel(0));
	cr_assert(counts_kernel(1));
	selfmon_counters_close(set);
}

/*
 * Apple's PMU. A user reported that the M1's PMU refuses events with -95
 * (EOPNOTSUPP), and accepts them with exclude_guest:
 * https://lore.kernel.org/all/ZV-CUlQhlkdOzfFZ@FVFF77S0Q05N.cambridge.arm.com/
 */
Test(counters_attempts, a_pmu_that_cannot_count_guests_leaves_them_out)
{
	kernel_faults.no_guest = true;
	cr_assert_eq(open_set("cycles,instructions:u"), 2);
	cr_assert(kernel_faults.excludes_guest);
	cr_assert(kernel_faults.excludes);
	cr_assert_not(counts_kernel(0));
	selfmon_counters_close(set);
	kernel_faults.ask = LONG | USER;
	cr_assert_eq(open_set("cycles"), 1);
	cr_assert_eq(kernel_faults.config1, 0);
	selfmon_counters_close(set);
	kernel_faults.no_guest = false;
	cr_assert_eq(open_set("cycles"), 1);
	cr_assert_not(kernel_faults.excludes_guest);
	selfmon_counters_close(set);
}

Test(counters_attempts, both_modes_asked_for_leave_out_the_hypervisor_if_can_be)
{
	kernel_faults.no_exclude = true;
	cr_assert_eq(open_set("cycles:uk"), 1);
	cr_assert_not(kernel_faults.excludes);
	selfmon_counters_close(set);
	kernel_faults.no_exclude = false;
	cr_assert_eq(open_set("cycles:uk"), 1);
	cr_assert(kernel_faults.excludes);
	selfmon_counters_close(set);
}

Test(counters_attempts, one_mode_asked_for_by_name_is_not_made_both)
{
	kernel_faults.no_exclude = true;
	cr_assert_eq(open_set("cycles:u"), 0);
	cr_assert_eq(failure.error, EINVAL);
	selfmon_counters_close(set);
	cr_assert_eq(open_set("cycles:k"), 0);
	cr_assert_eq(failure.error, EINVAL);
	selfmon_counters_close(set);
}

/*
 * The error must be EINVAL. EACCES would mean that counting the kernel was
 * refused, which the user did not request.
 */
Test(counters_attempts, who_may_not_count_the_kernel_is_told_what_was_asked)
{
	kernel_faults.no_exclude = true;
	kernel_faults.paranoid = true;
	cr_assert_eq(open_set("cycles"), 0);
	cr_assert_eq(failure.error, EINVAL);
	cr_assert_not(failure.kernel_asked);
	selfmon_counters_close(set);
}

Test(counters_attempts, a_group_too_large_stays_one_of_user_mode)
{
	kernel_faults.largest = 1;
	kernel_faults.ask = LONG | USER;
	cr_assert_eq(selfmon_counters_open("cycles,instructions",
					   SELFMON_COUNTERS_ONE_GROUP, &set,
					   &failure), 1);
	cr_assert_eq(failure.error, EINVAL);
	cr_assert(failure.grouped);
	cr_assert_not(counts_kernel(0));
	selfmon_counters_close(set);
}

static bool reason_names(const char *path, const char *words)
{
	bool named;

	kernel_faults.capabilities = 0x1a;
	kernel_faults.path = path;
	kernel_faults.text = "0";
	cr_assert_eq(open_set("cycles"), 1);
	named = strstr(selfmon_set_of(set)->why_syscall, words);
	selfmon_counters_close(set);
	return named;
}

Test(counters_attempts, the_switch_that_forbids_user_reads_is_named)
{
	cr_assert(reason_names("/proc/sys/kernel/perf_user_access",
			       "sysctl -w kernel.perf_user_access=1"));
	cr_assert(reason_names("/sys/bus/event_source/devices/cpu/rdpmc",
			       "echo 1 > "));
	cr_assert(reason_names(NULL, "does not allow user reads"));
}
