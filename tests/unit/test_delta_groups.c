/* SPDX-License-Identifier: MIT */
/*
 * Like test_delta.c, for sets with more than one group: rotating groups, or one
 * for each core type.
 */
#include "unit/test_delta.h"

TestSuite(delta_groups, .init = setup);

/* ---- further groups ------------------------------------------------------ */

/*
 * Members 3 and 4 are in a further group, which is off the PMU for off_ns of
 * 100 ms.
 */
static void set_more(uint64_t off_ns)
{
	set.count = 5;
	set.more = 1;
	set.more_count[0] = 2;
	a.value[3] = 1000;
	b.value[3] = 1600;
	a.more[0] = (struct selfmon_share){ 70 * MS, 7 * MS };
	b.more[0] = (struct selfmon_share){ 170 * MS, 7 * MS + off_ns };
}

static void subtract_more(uint64_t off_ns)
{
	set_more(off_ns);
	subtract();
	assert_value(0, 700, SELFMON_EXACT);
	assert_value(2, 3, SELFMON_SYSCALL);
}

Test(delta_groups, further_groups_are_scaled_by_their_own_share)
{
	subtract_more(40 * MS);
	assert_value(3, 1000, SELFMON_SCALED);
	assert_value(4, 0, SELFMON_SCALED);
	cr_assert_eq(delta.flags, SELFMON_DELTA_MORE_SCALED);
	cr_assert_eq(delta.more[0].off_ns, 40 * MS);
	cr_assert_eq(selfmon_delta_uncertainty(&delta, 3), 401);
	cr_assert_eq(selfmon_delta_uncertainty(&delta, 0), 0);
}

Test(delta_groups, further_groups_always_on_the_pmu_are_read_as_they_are)
{
	subtract_more(0);
	assert_value(3, 600, SELFMON_SYSCALL);
	cr_assert_eq(delta.flags, 0);
}

Test(delta_groups, further_groups_may_be_off_for_the_turns_of_the_others)
{
	subtract_more(75 * MS);
	assert_value(3, 2400, SELFMON_SCALED);
	subtract_more(75 * MS + 1);
	assert_value(3, 0, SELFMON_NOT_COUNTED);
	cr_assert_eq(delta.flags, SELFMON_DELTA_REFUSED);
}

Test(delta_groups, further_groups_are_refused_where_they_never_ran)
{
	subtract_more(100 * MS);
	assert_value(3, 0, SELFMON_NOT_COUNTED);
	a.flags = SELFMON_SNAPSHOT_LOST_REST;
	subtract();
	assert_value(3, 0, SELFMON_NOT_COUNTED);
	cr_assert_eq(delta.flags, SELFMON_DELTA_LOST);
}

/* ---- cores of several types ---------------------------------------------- */

/*
 * Subtracts snapshots that are 100 ms apart. Each of the two groups was on the
 * PMU for the given time.
 */
static void subtract_types(uint64_t first_ns, uint64_t other_ns)
{
	set_more(100 * MS - other_ns);
	set.flags |= SELFMON_IMPL_SET_CORES;
	a.flags = b.flags = SELFMON_SNAPSHOT_SLOW;
	a.enabled_ns = 70 * MS;
	b.enabled_ns = 170 * MS;
	a.off_ns = 7 * MS;
	b.off_ns = 7 * MS + 100 * MS - first_ns;
	subtract();
}

Test(delta_groups, counts_on_each_type_of_core_are_taken_as_they_are)
{
	subtract_types(30 * MS, 70 * MS);
	assert_value(0, 700, SELFMON_SYSCALL);
	assert_value(3, 600, SELFMON_SYSCALL);
	cr_assert_eq(delta.flags & ~SELFMON_DELTA_SLOW, 0u);
	subtract_types(0, 100 * MS);
	assert_value(3, 600, SELFMON_SYSCALL);
	subtract_types(100 * MS, 0);
	assert_value(0, 700, SELFMON_SYSCALL);
}

Test(delta_groups, time_on_no_type_of_core_is_never_guessed)
{
	subtract_types(30 * MS, 69 * MS);
	assert_value(0, 700, SELFMON_SYSCALL);
	subtract_types(30 * MS, 69 * MS - 1);
	assert_value(0, 0, SELFMON_NOT_COUNTED);
	assert_value(3, 0, SELFMON_NOT_COUNTED);
	cr_assert(delta.flags & SELFMON_DELTA_REFUSED);
}

Test(delta_groups, one_type_of_core_alone_does_not_tell_off_from_elsewhere)
{
	subtract_types(30 * MS, 70 * MS);
	set.more = 0;
	set.count = 3;
	subtract();
	assert_value(0, 0, SELFMON_NOT_COUNTED);
	cr_assert(delta.flags & SELFMON_DELTA_REFUSED);
}

Test(delta_groups, without_the_times_of_one_type_there_is_none_of_the_others)
{
	subtract_types(30 * MS, 70 * MS);
	b.flags |= SELFMON_SNAPSHOT_LOST_REST;
	subtract();
	assert_value(0, 0, SELFMON_NOT_COUNTED);
	assert_value(3, 0, SELFMON_NOT_COUNTED);
}
