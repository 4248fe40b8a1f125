/* SPDX-License-Identifier: MIT */
/*
 * Tests events that do not fit on the PMU at once: which events form which
 * group.
 */
#include "fault/counters_faults.h"

#include <errno.h>
#include <limits.h>

TestSuite(counters_turns, .init = setup_pmu);

/*
 * Returns a letter for the group of each member: F for the first group, K for
 * events of the kernel, 1 to 3 for further groups, - for dropped events.
 */
static const char *groups(void)
{
	static char text[SELFMON_MAX_COUNTERS + 1];
	struct selfmon_counter_info info = { .size = sizeof(info) };
	size_t i;

	for (i = 0; !selfmon_counters_info(set, i, &info); i++)
		text[i] = "-FK123"[info.group];
	text[i] = '\0';
	return text;
}

static void open_more(const char *spec, int count, const char *expected)
{
	const struct holdings before = holdings_now();
	size_t i;

	/*
	 * User reads are disabled: the pages of this PMU name counters that no
	 * CPU has.
	 */
	cr_assert_eq(open_set(spec, SELFMON_COUNTERS_SYSCALL), count);
	cr_assert_str_eq(groups(), expected);
	cr_assert_eq(set->count, count);
	measure();
	for (i = 0; i < (size_t)count; i++)
		cr_assert_neq(delta.value[i].verdict, SELFMON_NOT_COUNTED);
	cr_assert_neq(delta.value[0].count, 0);
	cr_assert_neq(delta.value[count - 1].count, 0);
	selfmon_counters_close(set);
	holdings_assert_back(&before);
	cr_assert_eq(kernel_faults.pages, 0);
}

Test(counters_turns, events_that_do_not_fit_go_into_further_groups)
{
	kernel_faults.largest = 2;
	open_more("cycles,instructions,branches,page-faults,branch-misses", 5,
		  "FFK11");
	open_more("cycles,instructions,branches,branch-misses,bus-cycles", 5,
		  "FF112");
}

Test(counters_turns, groups_that_never_run_give_their_last_to_further_ones)
{
	kernel_faults.counters = 2;
	open_more("cycles,instructions,branches,branch-misses", 4, "FF11");
}

Test(counters_turns, braces_go_into_a_further_group_together)
{
	kernel_faults.largest = 2;
	open_more("cycles,{branches,branch-misses},task-clock", 4, "FK11");
	open_more("cycles,{branches,task-clock,branch-misses}", 4, "FK11");
}

Test(counters_turns, braces_that_fit_nowhere_are_dropped_together)
{
	int count;

	kernel_faults.largest = 2;
	count = open_set("cycles,{branches,branch-misses,instructions,"
			 "page-faults},bus-cycles", 0);
	cr_expect_str_eq(groups(), "FF----");
	cr_assert_eq(count, 2);
	selfmon_counters_close(set);
}

Test(counters_turns, there_are_no_more_than_four_groups)
{
	kernel_faults.largest = 1;
	cr_assert_eq(open_set("cycles,instructions,branches,branch-misses,"
			      "bus-cycles,page-faults", 0), 5);
	cr_assert_str_eq(groups(), "FK123-");
	cr_assert_str_eq(failure.event, "bus-cycles");
	selfmon_counters_close(set);
}

Test(counters_turns, a_strict_set_has_no_further_groups)
{
	kernel_faults.largest = 2;
	cr_assert_eq(open_set("cycles,instructions,branches",
			      SELFMON_COUNTERS_STRICT), -EINVAL);
	cr_assert_str_eq(failure.event, "branches");
}

/* ---- user reads of the first group --------------------------------------- */

static void require_user_reads(void)
{
	if (!SELFMON_ARCH_USER_READ || SELFMON_ARCH_USER_READ_UNSAFE)
		cr_skip_test("no user reads on " SELFMON_ARCH_NAME);
}

/*
 * When the set is complete, the first group's pages have no index, because
 * later groups took the PMU.
 */
Test(counters_turns, the_first_group_has_user_reads_whatever_groups_follow)
{
	require_user_reads();
	kernel_faults.largest = 2;
	kernel_faults.turns = true;
	cr_assert_eq(open_set("cycles,instructions,branches,branch-misses,"
			      "bus-cycles", 0), 5);
	cr_assert_str_eq(groups(), "FF112");
	cr_expect_null(selfmon_set_of(set)->why_syscall, "%s",
		       selfmon_set_of(set)->why_syscall);
	cr_expect_eq(set->shift[1], 16);
	cr_expect_eq(info_of(0).verdict, SELFMON_EXACT);
	cr_expect_eq(info_of(2).verdict, SELFMON_SYSCALL);
	selfmon_counters_close(set);
}

Test(counters_turns, a_group_that_lost_the_pmu_is_waited_for)
{
	require_user_reads();
	kernel_faults.waits = 20;
	cr_assert_eq(open_set("cycles,instructions", 0), 2);
	cr_expect_null(selfmon_set_of(set)->why_syscall, "%s",
		       selfmon_set_of(set)->why_syscall);
	cr_expect_eq(kernel_faults.waits, 0);
	selfmon_counters_close(set);
}

Test(counters_turns, a_group_that_does_not_come_back_says_who_has_the_pmu)
{
	require_user_reads();
	kernel_faults.waits = UINT_MAX;
	cr_assert_eq(open_set("cycles,instructions", 0), 2);
	cr_assert_not_null(selfmon_set_of(set)->why_syscall);
	cr_expect_not_null(strstr(selfmon_set_of(set)->why_syscall,
				  "in use elsewhere"));
	selfmon_counters_close(set);
}

/*
 * The group is on the PMU all the time, but its page does not allow user reads:
 * waiting is useless.
 */
Test(counters_turns, a_group_without_user_reads_is_not_waited_for)
{
	const unsigned int before = kernel_faults.call[FAULT_READ].calls;

	require_user_reads();
	kernel_faults.capabilities = 0x1a;
	cr_assert_eq(open_set("cycles,instructions", 0), 2);
	cr_expect_not_null(strstr(selfmon_set_of(set)->why_syscall,
				  "does not allow"));
	cr_expect_leq(kernel_faults.call[FAULT_READ].calls - before, 3);
	selfmon_counters_close(set);
}

/* ---- a hypervisor that offers more counters than it grants --------------- */

static void grant(unsigned int count)
{
	kernel_faults.virtual = true;
	kernel_faults.granted = count;
}

static void expect_granted(const char *spec, int count, const char *expected)
{
	cr_expect_eq(open_set(spec, SELFMON_COUNTERS_SYSCALL), count);
	cr_expect_str_eq(groups(), expected, "%s", groups());
	cr_expect_eq(failure.error, EBUSY);
	cr_expect(strstr(failure.message, "counts 2 events at once"), "%s",
		  failure.message);
	selfmon_counters_close(set);
}

Test(counters_turns, what_would_stay_0_is_dropped_with_its_reason)
{
	const struct holdings before = holdings_now();

	grant(2);
	expect_granted("cycles,instructions,branches,page-faults", 3, "FFK-");
	cr_expect_str_eq(failure.event, "branches");
	cr_expect_eq(open_set("cycles,instructions,branches",
			      SELFMON_COUNTERS_STRICT), -EBUSY);
	cr_expect_null(set);
	holdings_assert_back(&before);
	cr_expect_eq(kernel_faults.pages, 0);
}

/*
 * There must be no further group: it could be on the PMU together with the
 * first group, and some counters would stay 0.
 */
Test(counters_turns, no_turns_are_taken_on_counters_that_stay_0)
{
	grant(2);
	kernel_faults.largest = 3;
	expect_granted("cycles,instructions,branches,branch-misses", 2, "FF--");
	cr_expect_eq(open_set("cycles,{branches,branch-misses}", 0), 1);
	cr_expect_eq(info_of(1).failure->error, ECANCELED);
	cr_expect_eq(info_of(2).failure->error, EBUSY);
	selfmon_counters_close(set);
}

static volatile uint64_t watched;

Test(counters_turns, breakpoints_that_count_nothing_are_refused_with_the_reason)
{
	const struct holdings before = holdings_now();
	char spec[SELFMON_EVENT_NAME_SIZE];

	kernel_faults.virtual = true;
	kernel_faults.silent = true;
	cr_assert_gt(selfmon_event_watch(spec, sizeof(spec), &watched,
					 sizeof(watched), "w"), 0);
	cr_expect_eq(open_set(spec, 0), 0, "%s", failure.message);
	cr_expect(strstr(failure.message, "count nothing"), "%s",
		  failure.message);
	selfmon_counters_close(set);
	holdings_assert_back(&before);
}

/* The guest's own NMI watchdog also holds one of four counters. */
Test(counters_turns, it_is_found_where_others_hold_counters_too)
{
	grant(2);
	kernel_faults.largest = 4;
	kernel_faults.counters = 3;
	expect_granted("cycles,instructions,branches", 2, "FF-");
	/*
	 * From now on, each counter that the guest gets does count. The earlier
	 * result was not kept, because another user held a counter.
	 */
	kernel_faults.counters = kernel_faults.granted = 3;
	cr_expect_eq(open_set("cycles,instructions,branches", 0), 3);
	selfmon_counters_close(set);
}

/*
 * A measurement of one counter is ignored: some emulators have only one counter
 * for each kind of event.
 */
Test(counters_turns, one_counter_for_a_kind_of_event_tells_nothing)
{
	grant(1);
	cr_expect_eq(open_set("cycles,instructions", 0), 2);
	selfmon_counters_close(set);
}

static unsigned int opens_for(const char *spec)
{
	const unsigned int before = kernel_faults.call[FAULT_OPEN].calls;

	cr_assert_gt(open_set(spec, 0), 0);
	selfmon_counters_close(set);
	return kernel_faults.call[FAULT_OPEN].calls - before;
}

Test(counters_turns, granted_counters_are_counted_only_if_needed)
{
	cr_expect_eq(opens_for("cycles,instructions"), 2, "not virtual");
	grant(UINT_MAX);
	cr_expect_eq(opens_for("cycles,page-faults"), 2, "one event");
}

Test(counters_turns, granted_counters_are_counted_once)
{
	grant(UINT_MAX);
	cr_expect_gt(opens_for("cycles,instructions"), 2);
	cr_expect_eq(opens_for("cycles,instructions"), 2);
}
