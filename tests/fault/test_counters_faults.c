/* SPDX-License-Identifier: MIT */
/* Makes each kernel call of a counter set fail. */
#include <criterion/criterion.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fault/counters_faults.h"
#include "form.h"

/* ---- every call, one after the other ------------------------------------- */

static const int errors[] = { EACCES, EPERM,  EMFILE, ENFILE, ENOSPC,
			      ENOMEM, EBUSY, ENODEV, EINVAL };
#define ERRORS (sizeof(errors) / sizeof(errors[0]))
/* More calls than any specification below causes. */
#define CALLS 14

/* Checks that the opened events match their descriptions. */
static void check_set(int count, size_t asked, int error)
{
	size_t i;

	cr_assert_eq(set->count, count);
	measure();
	for (i = 0; i < asked; i++) {
		const struct selfmon_counter_info info = info_of(i);

		cr_assert_eq(info.failure == NULL, i < (size_t)count);
		cr_assert_eq(delta.value[i].verdict, info.verdict,
			     "member %zu: %s", i, info.name);
		if (!info.failure)
			continue;
		cr_assert_eq(delta.value[i].count, 0);
		cr_assert_str_eq(info.failure->event, info.name);
		cr_assert_neq(info.failure->step, SELFMON_STEP_NONE);
		cr_assert(info.failure->error == error ||
			  info.failure->step == SELFMON_STEP_POLICY);
	}
	cr_assert_eq(failure.error != 0, (size_t)count < asked);
}

static void open_with_fault(const char *spec, size_t asked, unsigned int flags,
			    int error)
{
	const struct holdings before = holdings_now();
	const int count = open_set(spec, flags);

	if (count < 0) {
		cr_assert_null(set);
		cr_assert_eq(failure.error, -count);
		cr_assert(flags & ONE_FAILS_ALL || count == -ENOMEM);
	} else {
		cr_assert(!(flags & SELFMON_COUNTERS_STRICT) ||
			  (size_t)count == asked);
		memset(kernel_faults.call, 0, sizeof(kernel_faults.call));
		check_set(count, asked, error);
		selfmon_counters_close(set);
	}
	holdings_assert_back(&before);
	cr_assert_eq(kernel_faults.pages, 0);
	cr_assert_eq(kernel_faults.enabled, 0, "a leader opened enabled");
	cr_assert_eq(kernel_faults.bad_closes, 0, "closed twice");
}

/*
 * Makes each call fail, in the long form with each error. The full form tries
 * every third error, the quick form one for each call, and `make check` only
 * every third call. Which errors these are changes from call to call.
 */
static void try_all(const char *spec, size_t asked, unsigned int flags)
{
	const size_t stride = (size_t)by_form(ERRORS, 3, 1);
	const unsigned int step = (unsigned int)quick_or_all(3, 1);
	unsigned int call, n;
	size_t i;

	for (call = 0; call < FAULT_CALLS; call++) {
		for (n = 1 + call % step; n <= CALLS; n += step) {
			for (i = (call + n) % stride; i < ERRORS; i += stride) {
				kernel_faults_at(call, n, errors[i]);
				open_with_fault(spec, asked, flags, errors[i]);
			}
		}
		kernel_faults_from(call, 1, EACCES);
		open_with_fault(spec, asked, flags, EACCES);
		kernel_faults_from(call, 2, EMFILE);
		open_with_fault(spec, asked, flags, EMFILE);
		memset(kernel_faults.call, 0, sizeof(kernel_faults.call));
	}
}

TestSuite(counters_faults, .init = setup);

Test(counters_faults, nothing_leaks_and_nothing_lies_in_a_software_set)
{
	try_all("page-faults,task-clock,dummy", 3, 0);
}

Test(counters_faults, nothing_leaks_and_nothing_lies_with_braces)
{
	try_all("{page-faults,task-clock},{dummy,cpu-clock}", 4, 0);
}

Test(counters_faults, nothing_leaks_when_strict_fails)
{
	try_all("page-faults,task-clock", 2, SELFMON_COUNTERS_STRICT);
}

Test(counters_faults, nothing_leaks_and_nothing_lies_with_threads)
{
	try_all("page-faults,task-clock", 2, SELFMON_COUNTERS_INHERIT);
	try_all("{page-faults,task-clock},dummy", 3, SELFMON_COUNTERS_PROCESS);
}

/* ---- each call, its report ----------------------------------------------- */

Test(counters_faults, tells_the_error_of_the_open)
{
	kernel_faults_at(FAULT_OPEN, 2, EMFILE);
	cr_assert_eq(open_set("page-faults,dummy,task-clock", 0), 2);
	cr_assert_eq(failure.error, EMFILE);
	cr_assert_eq(failure.step, SELFMON_STEP_OPEN);
	cr_assert_eq(failure.position, strlen("page-faults,"));
	cr_assert(failure.grouped);
	cr_assert_str_eq(failure.event, "dummy");
	cr_assert_str_eq(order(2), "page-faults,task-clock|dummy");
	selfmon_counters_close(set);
}

Test(counters_faults, the_next_event_leads_if_the_leader_fails)
{
	kernel_faults_at(FAULT_OPEN, 1, EACCES);
	cr_assert_eq(open_set("page-faults,dummy,task-clock", 0), 2);
	cr_assert_str_eq(order(2), "dummy,task-clock|page-faults");
	cr_assert_not(failure.grouped);
	measure();
	cr_assert_eq(delta.value[1].verdict, SELFMON_SYSCALL);
	selfmon_counters_close(set);
}

Test(counters_faults, tells_the_error_of_the_enable)
{
	kernel_faults_from(FAULT_ENABLE, 1, ENODEV);
	cr_assert_eq(open_set("page-faults,dummy", 0), 0);
	cr_assert_eq(failure.error, ENODEV);
	cr_assert_eq(failure.step, SELFMON_STEP_ENABLE);
	selfmon_counters_close(set);
}

Test(counters_faults, tells_the_error_of_the_first_read)
{
	kernel_faults_from(FAULT_READ, 1, EACCES);
	cr_assert_eq(open_set("page-faults", 0), 0);
	cr_assert_eq(failure.error, EACCES);
	cr_assert_eq(failure.step, SELFMON_STEP_READ);
	selfmon_counters_close(set);
}

Test(counters_faults, without_pages_events_count_and_keep_descriptors)
{
	const struct holdings before = holdings_now();
	struct holdings now;

	kernel_faults_from(FAULT_MAP, 1, EPERM);
	cr_assert_eq(open_set("page-faults,dummy,task-clock", 0), 3);
	now = holdings_now();
	cr_assert_eq(now.fds, before.fds + 3);
	cr_assert_eq(now.maps, before.maps);
	measure();
	cr_assert_eq(delta.value[2].verdict, SELFMON_SYSCALL);
	selfmon_counters_close(set);
	holdings_assert_back(&before);
}

Test(counters_faults, a_read_that_fails_later_is_lost)
{
	cr_assert_eq(open_set("page-faults,dummy", 0), 2);
	selfmon_counters_begin(set, &a);
	kernel_faults_from(FAULT_READ, 1, EACCES);
	selfmon_counters_end(set, &b);
	selfmon_counters_delta(set, &a, &b, &delta);
	cr_assert_eq(b.flags, SELFMON_SNAPSHOT_LOST_REST);
	cr_assert(delta.flags & SELFMON_DELTA_LOST);
	cr_assert_eq(delta.value[0].verdict, SELFMON_NOT_COUNTED);
	cr_assert_eq(delta.value[0].count, 0);
	cr_assert_gt(delta.ticks, 0);
	selfmon_counters_close(set);
}

Test(counters_faults, no_memory_is_reported)
{
	kernel_faults_at(FAULT_MEMORY, 1, ENOMEM);
	cr_assert_eq(open_set("page-faults", 0), -ENOMEM);
	cr_assert_null(set);
	cr_assert_eq(failure.error, ENOMEM);
	cr_assert_neq(failure.message[0], '\0');
}

/* Kernels before 4.14 cannot wipe memory in a forked child. */
Test(counters_faults, memory_that_cannot_be_wiped_is_lost_in_a_child_too)
{
	int status = -1;
	pid_t child;

	kernel_faults_at(FAULT_MEMORY, 1, EINVAL);
	cr_assert_eq(open_set("page-faults", 0), 1);
	measure();
	cr_assert_eq(delta.value[0].verdict, SELFMON_SYSCALL);
	child = fork();
	if (child == 0) {
		struct selfmon_counter_info info = { .size = sizeof(info) };
		/*
		 * Another mapping may be at the address of the parent's page.
		 */
		void *page = mmap((void *)(uintptr_t)page_of(0), 1, PROT_READ,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
				  0);

		measure();
		status = delta.value[0].verdict != SELFMON_NOT_COUNTED ||
			 !(delta.flags & SELFMON_DELTA_LOST) ||
			 selfmon_counters_info(set, 0, &info) != -ESRCH;
		selfmon_counters_close(set);
		_exit(status || msync(page, 1, MS_ASYNC));
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0);
	measure();
	cr_assert_eq(delta.value[0].verdict, SELFMON_SYSCALL);
	selfmon_counters_close(set);
}

/* ---- groups on a PMU ----------------------------------------------------- */

TestSuite(counters_pmu, .init = setup_pmu);

Test(counters_pmu, hardware_goes_first_and_is_read_in_user_space)
{
	cr_assert_eq(open_set("page-faults,cycles,dummy,instructions", 0), 4);
	cr_assert_str_eq(order(4), "cycles,instructions,page-faults,dummy");
	cr_assert_eq(set->hardware_count, 2);
	if (SELFMON_ARCH_USER_READ) {
		cr_assert_not(set->flags & SELFMON_IMPL_SET_SYSCALL);
		cr_assert_eq(info_of(0).verdict, SELFMON_EXACT);
		cr_assert_eq(set->shift[1], 16);
	}
	cr_assert_eq(info_of(2).verdict, SELFMON_SYSCALL);
	cr_assert_eq(kernel_faults.pages, 2);
	selfmon_counters_close(set);
	cr_assert_eq(kernel_faults.pages, 0);
}

Test(counters_pmu, an_event_the_pmu_does_not_know_goes_behind_all_that_count)
{
	kernel_faults.refused = PERF_COUNT_HW_CPU_CYCLES;
	cr_assert_eq(open_set("cycles,instructions,page-faults,branches", 0),
		     3);
	cr_assert_str_eq(order(3), "instructions,branches,page-faults|cycles");
	cr_assert_eq(failure.error, ENOENT);
	selfmon_counters_close(set);
}

Test(counters_pmu, a_group_too_large_to_open_is_made_smaller)
{
	kernel_faults.largest = 2;
	cr_assert_eq(open_set("cycles,instructions,branches,branch-misses,"
			      "page-faults", SELFMON_COUNTERS_ONE_GROUP), 3);
	cr_assert_str_eq(order(3), "cycles,instructions,page-faults|"
				   "branches,branch-misses");
	cr_assert_eq(failure.error, EINVAL);
	cr_assert_str_eq(failure.event, "branches");
	selfmon_counters_close(set);
}

Test(counters_pmu, a_group_that_opens_but_never_runs_is_made_smaller)
{
	const struct holdings before = holdings_now();

	kernel_faults.counters = 2;
	cr_assert_eq(open_set("cycles,instructions,branches,branch-misses,"
			      "page-faults", SELFMON_COUNTERS_ONE_GROUP), 3);
	cr_assert_str_eq(order(3), "cycles,instructions,page-faults|"
				   "branches,branch-misses");
	cr_assert_eq(failure.error, EBUSY);
	cr_assert(strstr(failure.message, "never runs"));
	selfmon_counters_close(set);
	holdings_assert_back(&before);
	cr_assert_eq(kernel_faults.pages, 0);
}

Test(counters_pmu, no_counter_at_all_leaves_the_others)
{
	kernel_faults.counters = 0;
	cr_assert_eq(open_set("cycles,page-faults,instructions", 0), 1);
	cr_assert_str_eq(order(1), "page-faults|cycles,instructions");
	measure();
	cr_assert_eq(delta.value[0].verdict, SELFMON_SYSCALL);
	cr_assert_eq(delta.value[1].verdict, SELFMON_NOT_COUNTED);
	selfmon_counters_close(set);
}

Test(counters_pmu, braces_that_do_not_fit_go_together)
{
	kernel_faults.counters = 2;
	cr_assert_eq(open_set("cycles,{branches,branch-misses},page-faults",
			      SELFMON_COUNTERS_ONE_GROUP), 2);
	cr_assert_str_eq(order(2),
			 "cycles,page-faults|branches,branch-misses");
	cr_assert_eq(info_of(2).failure->error, ECANCELED);
	cr_assert_eq(info_of(3).failure->error, EBUSY);
	selfmon_counters_close(set);
}

Test(counters_pmu, braces_leave_a_group_with_members_of_the_other)
{
	const struct holdings before = holdings_now();

	kernel_faults_at(FAULT_OPEN, 4, ENOSPC); /* page-faults */
	cr_assert_eq(open_set("cycles,{instructions,page-faults},branches,"
			      "dummy", 0), 3);
	cr_assert_str_eq(order(3),
			 "cycles,branches,dummy|instructions,page-faults");
	cr_assert_eq(info_of(3).failure->error, ECANCELED);
	selfmon_counters_close(set);
	holdings_assert_back(&before);
	cr_assert_eq(kernel_faults.pages, 0);
}

Test(counters_pmu, one_page_missing_means_read_2_for_all_hardware)
{
	const struct holdings before = holdings_now();

	kernel_faults_at(FAULT_MAP, 2, EPERM);
	cr_assert_eq(open_set("cycles,instructions", 0), 2);
	cr_assert(set->flags & SELFMON_IMPL_SET_SYSCALL);
	cr_assert_eq(holdings_now().fds, before.fds + 2);
	measure();
	cr_assert_eq(delta.value[0].verdict, SELFMON_SYSCALL);
	cr_assert_eq(delta.value[1].verdict, SELFMON_SYSCALL);
	cr_assert_gt(delta.value[1].count, 0);
	cr_assert(delta.flags & SELFMON_DELTA_SLOW);
	selfmon_counters_close(set);
	holdings_assert_back(&before);
}

Test(counters_pmu, pages_without_user_reads_mean_read_2)
{
	kernel_faults.capabilities = 0x1a;
	cr_assert_eq(open_set("cycles,page-faults", 0), 2);
	cr_assert_eq(info_of(0).verdict, SELFMON_SYSCALL);
	measure();
	cr_assert_eq(delta.value[0].verdict, SELFMON_SYSCALL);
	cr_assert_gt(delta.value[0].count, 0);
	selfmon_counters_close(set);
}

Test(counters_pmu, losing_one_group_at_a_snapshot_leaves_the_other)
{
	cr_assert_eq(open_set("cycles,page-faults", SELFMON_COUNTERS_SYSCALL),
		     2);
	selfmon_counters_begin(set, &a);
	/* At the end of a visit the hardware group is read first. */
	kernel_faults_at(FAULT_READ, 1, ENODEV);
	selfmon_counters_end(set, &b);
	selfmon_counters_delta(set, &a, &b, &delta);
	cr_assert_eq(delta.value[0].verdict, SELFMON_NOT_COUNTED);
	cr_assert_eq(delta.value[1].verdict, SELFMON_SYSCALL);
	selfmon_counters_close(set);
}

Test(counters_pmu, nothing_leaks_and_nothing_lies)
{
	try_all("cycles,page-faults,{branches,dummy},instructions", 5,
		SELFMON_COUNTERS_SYSCALL);
}

Test(counters_pmu, nothing_leaks_and_nothing_lies_where_groups_shrink)
{
	kernel_faults.counters = 2;
	try_all("cycles,{instructions,branches,dummy},page-faults", 5,
		SELFMON_COUNTERS_SYSCALL);
}

Test(counters_pmu, slots_lead_their_shares_and_are_read_by_system_call)
{
	cr_assert_eq(open_set("cycles,r8000,r8100,r400", 0), 4);
	cr_assert_str_eq(order(4), "r400,cycles,r8000,r8100");
	measure();
	cr_assert_eq(delta.value[0].verdict, SELFMON_SYSCALL);
	cr_assert_eq(delta.value[2].verdict, SELFMON_SYSCALL);
	cr_assert_eq(delta.value[3].verdict, SELFMON_SYSCALL);
	selfmon_counters_close(set);
}

Test(counters_pmu, slots_alone_stay_where_they_are)
{
	cr_assert_eq(open_set("cycles,r400", 0), 2);
	cr_assert_str_eq(order(2), "cycles,r400");
	selfmon_counters_close(set);
}

Test(counters_pmu, shares_without_slots_are_dropped)
{
	cr_assert_eq(open_set("cycles,r8000", 0), 1);
	cr_assert_str_eq(order(1), "cycles|r8000");
	cr_assert_eq(failure.error, EINVAL);
	selfmon_counters_close(set);
}
