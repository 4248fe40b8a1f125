/* SPDX-License-Identifier: MIT */
/*
 * Subtracts two snapshots made by hand, and checks the numbers and the
 * verdicts.
 */
#include "unit/test_delta.h"

TestSuite(delta, .init = setup);

/* ---- on the PMU all the time --------------------------------------------- */

Test(delta, is_exact_for_user_reads_and_syscall_for_read_2)
{
	subtract();
	assert_value(0, 700, SELFMON_EXACT);
	assert_value(1, 1400, SELFMON_EXACT);
	assert_value(2, 3, SELFMON_SYSCALL);
	cr_assert_eq(delta.ticks, 50000);
	cr_assert_eq(delta.flags, 0);
	cr_assert_eq(delta.off_ns, 0);
	cr_assert_eq(delta.enabled_ns, 0);
}

Test(delta, is_syscall_if_either_end_was_read_by_read_2)
{
	b.flags = SELFMON_SNAPSHOT_SLOW;
	subtract();
	assert_value(0, 700, SELFMON_SYSCALL);
	cr_assert_eq(delta.flags, SELFMON_DELTA_SLOW);
	b.flags = 0;
	a.flags = SELFMON_SNAPSHOT_SLOW;
	subtract();
	assert_value(0, 700, SELFMON_SYSCALL);
	cr_assert_eq(delta.flags, SELFMON_DELTA_SLOW);
}

Test(delta, times_that_move_together_are_not_time_off)
{
	a.off_ns = b.off_ns = 123456;
	a.enabled_ns = 1;
	b.enabled_ns = 999999;
	subtract();
	assert_value(0, 700, SELFMON_EXACT);
	cr_assert_eq(delta.flags, 0);
}

Test(delta, tells_a_disturbance_and_a_migration)
{
	b.lock += 2;
	b.cpu = 0;
	a.moved = 3;
	b.moved = 4;
	subtract();
	cr_assert_eq(delta.flags,
		     SELFMON_DELTA_DISTURBED | SELFMON_DELTA_MIGRATED);
	cr_assert_eq(delta.moved, 7);
	assert_value(0, 700, SELFMON_EXACT);
}

Test(delta, claims_no_migration_where_a_cpu_is_not_known)
{
	b.cpu = UINT32_MAX;
	subtract();
	cr_assert_eq(delta.flags, 0);
	a.cpu = UINT32_MAX;
	b.cpu = 5;
	subtract();
	cr_assert_eq(delta.flags, 0);
}

/* ---- impossible values --------------------------------------------------- */

Test(delta, repairs_a_value_that_is_2_to_the_width_too_small)
{
	b.value[1] = 1600 - (UINT64_C(1) << 48);
	subtract();
	assert_value(1, 1400, SELFMON_EXACT);
	cr_assert_eq(delta.flags, SELFMON_DELTA_REPAIRED);
}

Test(delta, does_not_repair_what_read_2_gave)
{
	/* The member is read by read(2), so its shift is not used. */
	set.shift[2] = 16;
	b.value[2] = a.value[2] - (UINT64_C(1) << 48);
	subtract();
	assert_value(2, 0, SELFMON_NOT_COUNTED);
	cr_assert_eq(delta.flags, SELFMON_DELTA_IMPOSSIBLE);
}

Test(delta, leaves_out_more_events_than_the_time_allows)
{
	b.value[0] = a.value[0] + 50000 * 16 + 4096;
	b.value[1] = a.value[1] + 50000 * 16 + 4097;
	subtract();
	assert_value(0, 50000 * 16 + 4096, SELFMON_EXACT);
	assert_value(1, 0, SELFMON_NOT_COUNTED);
	assert_value(2, 3, SELFMON_SYSCALL);
	cr_assert_eq(delta.flags, SELFMON_DELTA_IMPOSSIBLE);
}

Test(delta, lets_read_2_count_outside_of_the_timestamps)
{
	b.ticks = a.ticks + 78;
	b.value[2] = a.value[2] + 10305; /* includes the two read(2) calls */
	subtract();
	assert_value(2, 10305, SELFMON_SYSCALL);
	b.value[0] = a.value[0] + 20000;
	b.flags = SELFMON_SNAPSHOT_SLOW;
	subtract();
	assert_value(0, 0, SELFMON_NOT_COUNTED);
	a.flags = SELFMON_SNAPSHOT_SLOW;
	subtract();
	assert_value(0, 20000, SELFMON_SYSCALL);
}

Test(delta, the_bound_of_a_long_time_does_not_overflow)
{
	b.ticks = a.ticks + (UINT64_C(1) << 62);
	b.value[0] = a.value[0] + (UINT64_C(1) << 62);
	subtract();
	assert_value(0, UINT64_C(1) << 62, SELFMON_EXACT);
}

Test(delta, keeps_more_than_32_bits_of_a_32_bit_counter)
{
	set.shift[0] = 32;
	b.ticks = a.ticks + (UINT64_C(1) << 40);
	b.value[0] = a.value[0] + UINT64_C(0x300000001);
	subtract();
	assert_value(0, UINT64_C(0x300000001), SELFMON_EXACT);
}

/* ---- lost values --------------------------------------------------------- */

Test(delta, a_lost_snapshot_at_either_end_gives_no_number)
{
	b.flags = SELFMON_SNAPSHOT_SLOW | SELFMON_SNAPSHOT_LOST_USER;
	b.off_ns = 12; /* not read, so it must be ignored */
	subtract();
	assert_value(0, 0, SELFMON_NOT_COUNTED);
	assert_value(1, 0, SELFMON_NOT_COUNTED);
	assert_value(2, 3, SELFMON_SYSCALL);
	cr_assert_eq(delta.flags, SELFMON_DELTA_SLOW | SELFMON_DELTA_LOST);
	a.flags = SELFMON_SNAPSHOT_LOST;
	b.flags = 0;
	subtract();
	assert_value(0, 0, SELFMON_NOT_COUNTED);
	assert_value(2, 0, SELFMON_NOT_COUNTED);
	cr_assert_eq(delta.ticks, 50000);
}

Test(delta, losing_the_read_2_members_leaves_the_others)
{
	a.flags = SELFMON_SNAPSHOT_LOST_REST;
	subtract();
	assert_value(0, 700, SELFMON_EXACT);
	assert_value(2, 0, SELFMON_NOT_COUNTED);
	cr_assert_eq(delta.flags, SELFMON_DELTA_LOST);
}

Test(delta, members_that_were_dropped_have_no_number)
{
	size_t i;

	subtract();
	for (i = 3; i < SELFMON_MAX_COUNTERS; i++)
		assert_value(i, 0, SELFMON_NOT_COUNTED);
}

Test(delta, a_set_wiped_by_fork_has_no_number_anywhere)
{
	size_t i;

	memset(&set, 0, sizeof(set));
	b.flags = SELFMON_SNAPSHOT_LOST;
	subtract();
	for (i = 0; i < SELFMON_MAX_COUNTERS; i++)
		assert_value(i, 0, SELFMON_NOT_COUNTED);
}

/* ---- off the PMU for a while --------------------------------------------- */

Test(delta, scales_by_enabled_over_running)
{
	subtract_off(10 * MS, 3 * MS);
	assert_scaled(1000, 2000); /* 700 and 1400 times 10 / 7 */
	cr_assert_eq(delta.enabled_ns, 10 * MS);
	cr_assert_eq(delta.off_ns, 3 * MS);
}

Test(delta, is_uncertain_by_what_was_not_counted_of_a_scaled_value)
{
	subtract_off(10 * MS, 3 * MS);
	cr_assert_eq(selfmon_delta_uncertainty(&delta, 0), 301); /* of 1000 */
	cr_assert_eq(selfmon_delta_uncertainty(&delta, 1), 601);
	cr_assert_eq(selfmon_delta_uncertainty(&delta, 2), 0);
	subtract_off(10 * MS, 0);
	cr_assert_eq(selfmon_delta_uncertainty(&delta, 0), 0);
}

Test(delta, scales_large_counts_in_128_bits)
{
	set.max_per_tick = UINT32_C(1) << 30;
	b.ticks = a.ticks + UINT64_C(1000000000);
	b.value[0] = a.value[0] + UINT64_C(12345678901234567);
	subtract_off(UINT64_C(10000000000), UINT64_C(2500000000));
	/* * 4 / 3 */
	assert_value(0, UINT64_C(16460905201646089), SELFMON_SCALED);
}

Test(delta, scales_up_to_half_of_the_time_off)
{
	subtract_off(10 * MS, 5 * MS);
	assert_scaled(1400, 2800);
}

Test(delta, refuses_more_than_half_of_the_time_off)
{
	subtract_off(10 * MS, 5 * MS + 1);
	assert_refused();
	cr_assert_eq(delta.enabled_ns, 10 * MS);
	cr_assert_eq(delta.off_ns, 5 * MS + 1);
}

Test(delta, shorter_than_a_rotation_scales_up_to_1_percent_off)
{
	subtract_off(3 * MS, 3 * MS / 100);
	assert_scaled(707, 1414);
}

Test(delta, shorter_than_a_rotation_refuses_more_than_1_percent_off)
{
	subtract_off(3 * MS, 3 * MS / 100 + 1);
	assert_refused();
}

Test(delta, a_whole_rotation_is_not_shorter_than_one)
{
	subtract_off(4 * MS, 1 * MS);
	assert_scaled(933, 1866);
	subtract_off(4 * MS - 1, 1 * MS);
	assert_refused();
}

Test(delta, refuses_what_never_ran_or_ran_backwards)
{
	subtract_off(10 * MS, 10 * MS);
	assert_refused();
	subtract_off(0, 1);
	assert_refused();
	subtract_off(10 * MS, (uint64_t)-1);
	assert_refused();
}

Test(delta, strict_refuses_any_time_off)
{
	set.flags |= SELFMON_IMPL_SET_STRICT;
	subtract_off(10 * MS, 1);
	assert_refused();
	cr_assert_eq(delta.off_ns, 1);
}

/* ---- the page clock ------------------------------------------------------ */

/*
 * Makes snapshots by user reads: half a ns per tick, off the PMU for 3 of 10
 * ms.
 */
static void page_times(uint32_t flags)
{
	set.flags |= flags;
	set.time_mult = UINT32_C(1) << 30;
	set.time_shift = 31;
	a.ticks = UINT64_C(1) << 62;
	b.ticks = a.ticks + 16 * MS;
	/* time_offset is minus the clock's time at the last update */
	a.enabled_ns = 500 - (a.ticks / 2 - 250);
	b.enabled_ns = 500 + 3 * MS - (a.ticks / 2 + MS - 250);
	b.off_ns = 3 * MS;
}

Test(delta, brings_the_page_times_up_by_the_page_clock)
{
	page_times(SELFMON_IMPL_SET_PAGE_CLOCK);
	subtract();
	/* 8 ms by the clock, plus 3 ms - 1 ms by the page's times */
	cr_assert_eq(delta.enabled_ns, 10 * MS);
	cr_assert_eq(delta.off_ns, 3 * MS);
	assert_scaled(1000, 2000);
	cr_assert_not(set.flags & SELFMON_IMPL_SET_SYSCALL);
}

Test(delta, page_clock_and_read_2_may_be_mixed)
{
	page_times(SELFMON_IMPL_SET_PAGE_CLOCK);
	b.flags = SELFMON_SNAPSHOT_SLOW;
	b.enabled_ns = 750 + 6 * MS; /* the first snapshot has 750 */
	subtract();
	cr_assert_eq(delta.enabled_ns, 6 * MS);
	assert_scaled(1400, 2800);
}

Test(delta, without_a_page_clock_refuses_and_goes_over_to_read_2)
{
	page_times(0);
	subtract();
	assert_refused();
	cr_assert_eq(delta.enabled_ns, 0);
	cr_assert(set.flags & SELFMON_IMPL_SET_SYSCALL);
}

/*
 * Each delta is by read(2), and the group is on the PMU. Returns the number of
 * deltas after which user reads resume, or 100000 if they do not resume.
 */
static unsigned int quiet_deltas(void)
{
	unsigned int n;

	for (n = 0; set.flags & SELFMON_IMPL_SET_SYSCALL && n < 100000; n++)
		subtract_off(MS, 0);
	return n;
}

static void lose_one(void)
{
	setup();
	page_times(0);
	subtract();
	assert_refused();
}

Test(delta, user_reads_come_back_once_the_group_stays_on_the_pmu)
{
	struct selfmon_counters once;

	lose_one();
	cr_assert_eq(quiet_deltas(), 64);
	once = set;
	setup();
	set = once;
	page_times(0);
	subtract();
	cr_assert_eq(quiet_deltas(), 128);
	cr_assert_not(set.flags & SELFMON_IMPL_SET_AWHILE);
}

Test(delta, user_reads_that_were_taken_do_not_come_back)
{
	lose_one();
	set.flags |= SELFMON_IMPL_SET_TAKEN;
	cr_assert_eq(quiet_deltas(), 100000);
}

Test(delta, while_the_group_leaves_the_pmu_user_reads_stay_away)
{
	unsigned int n;

	lose_one();
	for (n = 0; n < 1000; n++)
		subtract_off(10 * MS, 3 * MS);
	cr_assert(set.flags & SELFMON_IMPL_SET_SYSCALL);
}

/* Ticks have 40 bits, and wrap 1 ms after the first snapshot. */
static void wrap_between(void)
{
	const uint64_t laps = (UINT64_C(1) << 40) - 1;

	page_times(SELFMON_IMPL_SET_PAGE_CLOCK);
	set.time_unused = ~laps;
	set.time_cycles = laps - 20 * MS;
	a.enabled_ns += a.ticks / 2;
	b.enabled_ns += a.ticks / 2;
	a.ticks = laps + 1 - 2 * MS;
	b.ticks = 14 * MS;
	a.enabled_ns -= a.ticks / 2;
	b.enabled_ns -= a.ticks / 2;
}

Test(delta, the_page_clock_goes_on_where_ticks_of_less_than_64_bits_wrap)
{
	wrap_between();
	subtract();
	cr_assert_eq(delta.ticks, 16 * MS);
	cr_assert_eq(delta.enabled_ns, 10 * MS);
	assert_scaled(1000, 2000);
}

Test(delta, refuses_page_times_of_two_laps)
{
	wrap_between();
	/* The kernel's value is one wrap beyond what the ticks show. */
	b.enabled_ns += UINT64_C(1) << 39;
	subtract();
	assert_refused();
}

/* ---- names --------------------------------------------------------------- */

Test(delta, verdicts_have_names)
{
	cr_assert_str_eq(selfmon_verdict_name(SELFMON_NOT_COUNTED),
			 "not counted");
	cr_assert_str_eq(selfmon_verdict_name(SELFMON_EXACT), "exact");
	cr_assert_str_eq(selfmon_verdict_name(SELFMON_SYSCALL), "syscall");
	cr_assert_str_eq(selfmon_verdict_name(SELFMON_SCALED), "scaled");
	cr_assert_str_eq(selfmon_verdict_name((enum selfmon_verdict)9),
			 "unknown");
}
