/* SPDX-License-Identifier: MIT */
/*
 * Tests the start and the end of a visit with four counters in the real machine
 * code, which executes RDPMC and RDTSC. The fault handler of trap_pmu.h
 * emulates the PMU, and changes pages in the middle of a start or an end.
 */
#include <criterion/criterion.h>

#include "store/mend.h"
#include "visit_trap.h"

TestSuite(visit_trap, .init = setup, .fini = fini);

static void assert_exact(uint64_t visits)
{
	unsigned int k;

	cr_assert_eq(selfmon_stats_visits(stats), visits);
	for (k = 0; k < COUNT; k++) {
		const struct selfmon_sums *const sums = &stats->counter[k];

		cr_assert_eq(sums->sum, visits * 10 * (k + 1), "%u: %lu", k,
			     (unsigned long)sums->sum);
		cr_assert_eq(sums->min, sums->max, "member %u", k);
	}
}

Test(visit_trap, reads_each_register_once_at_either_end)
{
	visit(1);
	cr_assert(trap_pmu_saw("0123TT3210"));
	assert_exact(2);
}

Test(visit_trap, reads_more_than_four_by_the_numbers_that_were_kept)
{
	make_set(COUNT_MORE);
	visit(1);
	trap_pmu.traps = 0;
	visit(1);
	cr_assert(trap_pmu_saw("012345TT543210"));
	cr_assert_eq(stats->counter[4].sum, 2 * 50);
	cr_assert_eq(stats->counter[5].sum, 2 * 60);
}

Test(visit_trap, the_lowest_and_highest_counts_are_recorded)
{
	unsigned int k;

	events = 7;
	visit(1);
	events = 12;
	visit(1);
	events = 11;
	visit(1);
	cr_assert(trap_pmu_saw("0123TT32100123TT32100123TT3210"));
	cr_assert_eq(selfmon_stats_visits(stats), 4);
	for (k = 0; k < COUNT; k++) {
		cr_assert_eq(stats->counter[k].sum, 40 * (k + 1));
		cr_assert_eq(stats->counter[k].min, 7 * (k + 1));
		cr_assert_eq(stats->counter[k].max, 12 * (k + 1));
	}
}

/* The event moves to another counter and continues its count. */
static void change_counter(unsigned int k)
{
	const uint64_t count = trap_pmu.raw[k] + (uint64_t)page[k].offset;

	page[k].lock += 2;
	page[k].index = TRAP_INDEX(COUNT + k);
	trap_pmu.raw[COUNT + k] = trap_pmu.raw[k] + 500;
	page[k].offset = (int64_t)(count - trap_pmu.raw[COUNT + k]);
}

/*
 * An end checks the leader's lock first, and reads the leader's register last.
 */
static void leader_changes_in_the_end(unsigned int n, uint32_t what)
{
	(void)what;
	if (n == 8)
		change_counter(0);
}

Test(visit_trap, an_end_sees_the_leader_change_before_it_is_read)
{
	trap_pmu.effect = leader_changes_in_the_end;
	visit(1);
	cr_assert(trap_pmu_saw("0123TT3210T3214"));
	assert_exact(2);
	cr_assert_eq(stats->rare[SELFMON_RARE_MOVED], 1);
}

static void all_change_in_the_end(unsigned int n, uint32_t what)
{
	unsigned int k;

	(void)what;
	for (k = 0; n == 7 && k < COUNT; k++)
		change_counter(k);
}

Test(visit_trap, an_end_sees_a_deschedule_between_members)
{
	trap_pmu.effect = all_change_in_the_end;
	visit(1);
	cr_assert(trap_pmu_saw("0123TT3210T7654"));
	assert_exact(2);
	cr_assert_eq(stats->rare[SELFMON_RARE_MOVED], 1);
}

/*
 * A context switch during the visit: each event returns to its register, but
 * the values of the registers have changed.
 */
static void all_go_on_in_the_visit(unsigned int n, uint32_t what)
{
	unsigned int k;

	(void)what;
	for (k = 0; n == 4 && k < COUNT; k++) {
		page[k].lock += 2;
		page[k].offset -= 300;
		trap_pmu.raw[k] += 300;
	}
}

/*
 * The end is not read again. Each register is only read once more, to check
 * that it has not decreased; these counts are not recorded.
 */
Test(visit_trap, an_end_after_a_context_switch_is_read_once)
{
	trap_pmu.effect = all_go_on_in_the_visit;
	visit(1);
	cr_assert(trap_pmu_saw("0123TT32100123"));
	assert_exact(2);
	cr_assert_eq(stats->rare[SELFMON_RARE_MOVED], 0);
	cr_assert_eq(stats->rare[SELFMON_RARE_DISTURBED], 1);
}

static void all_change_in_the_visit(unsigned int n, uint32_t what)
{
	unsigned int k;

	(void)what;
	for (k = 0; n == 4 && k < COUNT; k++) {
		change_counter(k);
		trap_pmu.raw[COUNT + k] += 10 * (k + 1);
	}
}

Test(visit_trap, an_end_whose_events_have_other_counters_is_read_again)
{
	trap_pmu.effect = all_change_in_the_visit;
	visit(1);
	cr_assert(trap_pmu_saw("0123TT3210T7654"));
	assert_exact(2);
	cr_assert_eq(stats->rare[SELFMON_RARE_MOVED], 1);
}

/*
 * A context switch between two reads of an end: the events keep their registers
 * and counts, but two registers have other values.
 */
static void all_go_on_in_the_end(unsigned int n, uint32_t what)
{
	unsigned int k;

	(void)what;
	for (k = 0; n == 7 && k < COUNT; k++) {
		page[k].lock += 2;
		trap_pmu.raw[k] += k < 2 ? 1000 : 0;
		page[k].offset -= k < 2 ? 1000 : 0;
	}
}

Test(visit_trap, an_end_sees_a_context_switch_that_kept_the_counters)
{
	trap_pmu.effect = all_go_on_in_the_end;
	visit(1);
	cr_assert(trap_pmu_saw("0123TT3210T3210"));
	assert_exact(2);
	cr_assert_eq(stats->rare[SELFMON_RARE_MOVED], 1);
}

/* A register overflows after its event was read; no count is lost. */
static void one_overflows_in_the_end(unsigned int n, uint32_t what)
{
	(void)what;
	if (n != 6)
		return;
	page[3].lock += 2;
	page[3].offset += 3000;
	trap_pmu.raw[3] -= 3000;
}

Test(visit_trap, an_end_sees_an_overflow_after_its_read)
{
	trap_pmu.effect = one_overflows_in_the_end;
	visit(1);
	assert_exact(2);
	cr_assert_eq(stats->rare[SELFMON_RARE_MOVED], 1);
}

/*
 * The register increases by more than the CPU can count in that time, so it
 * must have belonged to another event.
 */
static void leap_in_the_visit(unsigned int n, uint32_t what)
{
	(void)what;
	if (n == 5)
		trap_pmu.raw[1] += UINT64_C(1) << 40;
}

Test(visit_trap, a_count_that_is_not_possible_is_left_out)
{
	trap_pmu.effect = leap_in_the_visit;
	visit(1);
	cr_assert_eq(selfmon_stats_visits(stats), 2);
	cr_assert_eq(stats->counter[1].sum, 20);
}

/* The second visit is long, but not the longest so far. */
Test(visit_trap, long_visits_are_in_their_buckets)
{
	static const uint64_t ticks[] = { 4 * SELFMON_TICKS_LONG,
					  2 * SELFMON_TICKS_LONG,
					  SELFMON_TICKS_LONG / 2, 10 };
	struct selfmon_stats copy;
	unsigned int i;

	for (i = 0; i < 4; i++)
		visit(ticks[i]);
	assert_exact(5);
	copy = *stats;
	selfmon_stats_complete(&copy, true);
	for (i = 0; i < 4; i++)
		cr_assert_eq(selfmon_stats_bucket(&copy,
						  selfmon_bucket_of(ticks[i])),
			     1, "visit %u", i);
}

/*
 * Acts as a context switch: each event returns to its register, but the values
 * of the registers have changed.
 */
static void all_start_anew(unsigned int n, uint32_t what)
{
	unsigned int k;

	(void)what;
	for (k = 0; n == 1 && k < COUNT; k++) {
		page[k].lock += 2;
		page[k].offset -= 300;
		trap_pmu.raw[k] += 300;
	}
}

Test(visit_trap, a_start_sees_a_deschedule_between_members)
{
	trap_pmu.effect = all_start_anew;
	visit(1);
	cr_assert(trap_pmu_saw("01230123TT3210"));
	assert_exact(2);
}

/*
 * Only ends that are read again are counted: the time of a repeated start is
 * not part of the visit.
 */
Test(visit_trap, ends_that_are_read_again_are_counted_and_no_starts)
{
	selfmon_thread_set_mode(selfmon_thread_self(), SELFMON_MODE_ANY);
	trap_pmu.effect = all_start_anew;
	visit(1);
	cr_assert_gt(trap_pmu.traps, 10, "no start was read again");
	assert_exact(2);
	cr_assert_eq(stats->rare[SELFMON_RARE_MOVED], 0);
}

/*
 * Moves the thread to a core of another type, which has no such counters.
 * read(2) fails, too.
 */
static void move_to_another_core(void)
{
	unsigned int k;

	for (k = 0; k < COUNT; k++) {
		page[k].lock += 2;
		page[k].index = 0;
	}
}

Test(visit_trap, no_number_is_kept_where_cores_are_of_several_types)
{
	struct selfmon_thread *const thread = selfmon_thread_self();

	cr_assert_eq(selfmon_thread_mode(thread), SELFMON_MODE_USER);
	set.head.flags |= SELFMON_IMPL_SET_CORES;
	selfmon_thread_set_mode(thread, selfmon_thread_mode(thread));
	visit(1);
	cr_assert(trap_pmu_saw("0123TT3210"));
	assert_exact(2);
	move_to_another_core();
	trap_pmu.traps = 0;
	visit(1);
	cr_assert(trap_pmu_saw("TTTT"));
	cr_assert_eq(stats->counter[0].sum, 20);
}
