/* SPDX-License-Identifier: MIT */
/*
 * Tests that all members of a snapshot, and its time, belong to the same
 * moment. On machines whose cycles and time follow from the number of
 * instructions, this can be checked for each snapshot.
 */
#define _GNU_SOURCE
#include "hw/hw.h"

#define SPEC "instructions,cycles"
enum { INSTRUCTIONS, CYCLES };

#define SNAPSHOTS 100000
#define SNAPSHOTS_WRAPPING 300000
#define SLICES 40 /* time slices of the competitor */
/*
 * Time slices of the competitor in the test of visits. Without the check of the
 * lock, 30 of them cause errors.
 */
#define SLICES_OF_VISITS 200

#define INSTRUCTIONS_US 1000 /* per us; in the x86 emulator also ticks */
#define SLICE_TICKS 1000000u /* shorter than the scheduler's slices */
#define ROUNDING_NS 2

static struct selfmon_counters *open_pair(const char *spec)
{
	struct selfmon_counters *set;

	hw_require_pmu();
	hw_require_exact();
	hw_pin(0);
	set = hw_open(spec);
	hw_require_user_reads(set);
	return set;
}

/*
 * Returns the cycles per instruction: a whole number on a machine that counts
 * exactly.
 */
static uint64_t ratio_of(struct selfmon_counters *set)
{
	struct selfmon_delta delta;
	uint64_t ratio;

	hw_visit_loop(set, 1, &delta);
	hw_visit_loop(set, 100000, &delta);
	ratio = (delta.value[CYCLES].count + 1000) /
		delta.value[INSTRUCTIONS].count;
	cr_assert_neq(ratio, 0);
	return ratio;
}

/*
 * Returns the difference between the counted cycles and `ratio` cycles per
 * counted instruction. The difference is constant if both belong to one moment.
 */
static uint64_t surplus(const struct selfmon_snapshot *at, uint64_t ratio)
{
	return at->value[CYCLES] - ratio * at->value[INSTRUCTIONS];
}

static HW_NOINLINE void take_pair(const struct selfmon_counters *set,
				  struct selfmon_snapshot *a,
				  struct selfmon_snapshot *b)
{
	selfmon_counters_begin(set, a);
	selfmon_counters_end(set, b);
}

static void expect_one_surplus(struct selfmon_counters *set, int snapshots)
{
	const uint64_t ratio = ratio_of(set);
	struct selfmon_snapshot a, b;
	uint64_t start, end;
	int i;

	take_pair(set, &a, &b);
	start = surplus(&a, ratio);
	end = surplus(&b, ratio);
	for (i = 0; i < snapshots; i++) {
		/*
		 * The loop varies, so that overflows and slices end at
		 * different places.
		 */
		hw_loop((uint64_t)i % 61 + 1);
		take_pair(set, &a, &b);
		cr_assert_eq(surplus(&a, ratio), start,
			     "start %d of %d: off by %jd", i, snapshots,
			     (intmax_t)(surplus(&a, ratio) - start));
		cr_assert_eq(surplus(&b, ratio), end,
			     "end %d of %d: off by %jd", i, snapshots,
			     (intmax_t)(surplus(&b, ratio) - end));
	}
}

Test(hw_group, members_of_a_snapshot_are_of_one_moment)
{
	struct selfmon_counters *set = open_pair(SPEC);

	expect_one_surplus(set, SNAPSHOTS);
	selfmon_counters_close(set);
}

Test(hw_group, members_are_of_one_moment_beside_a_competitor)
{
	struct selfmon_counters *set = open_pair(SPEC);
	const pid_t competitor = hw_competitor();

	expect_one_surplus(set, SNAPSHOTS);
	hw_competitor_end(competitor);
	selfmon_counters_close(set);
}

/*
 * An overflow of a sibling changes the lock of its own page and not the
 * leader's.
 */
Test(hw_group, members_are_of_one_moment_while_registers_wrap)
{
	struct selfmon_counters *set = open_pair(SPEC);

	if (64 - set->shift[CYCLES] > 24)
		cr_skip_test("counters of %d bits do not wrap in time",
			     64 - set->shift[CYCLES]);
	expect_one_surplus(set, SNAPSHOTS_WRAPPING);
	selfmon_counters_close(set);
}

/*
 * Returns the time that the thread has spent in the kernel, in ns: the thread's
 * time at the snapshot, less the time of its cycles in user mode. The result
 * never decreases.
 */
static int64_t kernel_ns(const struct selfmon_counters *set,
			 const struct selfmon_snapshot *at, uint64_t ratio)
{
	__extension__ const unsigned __int128 ticks = at->ticks;
	const uint64_t now = (uint64_t)(ticks * set->time_mult >>
					set->time_shift);

	return (int64_t)(at->enabled_ns + now - at->value[CYCLES] / ratio);
}

static struct selfmon_counters *open_timed(void)
{
	struct selfmon_counters *set = open_pair(SPEC);

	if (!(set->flags & SELFMON_IMPL_SET_PAGE_CLOCK))
		cr_skip_test("the page has no clock");
	if ((selfmon_clock()->hz + 500000) / 1000000 != INSTRUCTIONS_US)
		cr_skip_test("an instruction does not take one tick");
	return set;
}

/*
 * If a snapshot were read across a switch, its time would have one slice too
 * many or too few compared with its counters. The next snapshot would be right.
 */
Test(hw_group, time_holds_no_slice_of_a_competitor)
{
	struct selfmon_counters *set = open_timed();
	const pid_t competitor = hw_competitor();
	const uint64_t ratio = ratio_of(set);
	int64_t start, end;
	struct selfmon_snapshot a, b;
	uint32_t lock = 0;
	int i, slices = 0;

	take_pair(set, &a, &b);
	start = kernel_ns(set, &a, ratio);
	end = kernel_ns(set, &b, ratio);
	for (i = 0; slices < SLICES; i++) {
		int64_t now;

		hw_loop((uint64_t)i % 61 + 1);
		take_pair(set, &a, &b);
		now = kernel_ns(set, &a, ratio);
		cr_assert_geq(now, start - ROUNDING_NS, "start %d: %jd ns", i,
			      (intmax_t)(now - start));
		start = now;
		now = kernel_ns(set, &b, ratio);
		cr_assert_geq(now, end - ROUNDING_NS, "end %d: %jd ns", i,
			      (intmax_t)(now - end));
		end = now;
		slices += b.lock != lock;
		lock = b.lock;
	}
	hw_competitor_end(competitor);
	selfmon_counters_close(set);
}

/*
 * Only interrupts may add time to the visit, and an interrupt takes less than a
 * slice.
 */
Test(hw_group, an_undisturbed_visit_takes_the_time_of_its_cycles)
{
	struct selfmon_counters *set = open_timed();
	const pid_t competitor = hw_competitor();
	const uint64_t ratio = ratio_of(set);
	uint64_t least = UINT64_MAX, most = 0;
	struct selfmon_snapshot a, b;
	struct selfmon_delta delta;
	uint32_t lock = 0;
	int slices = 0;

	while (slices < SLICES_OF_VISITS) {
		uint64_t beyond;

		take_pair(set, &a, &b);
		selfmon_counters_delta(set, &a, &b, &delta);
		slices += b.lock != lock;
		lock = b.lock;
		if (delta.flags & SELFMON_DELTA_DISTURBED)
			continue;
		/*
		 * Ticks are read innermost, so cycles cover a longer time than
		 * ticks.
		 */
		beyond = SLICE_TICKS + delta.ticks -
			 delta.value[CYCLES].count / ratio;
		if (beyond < least)
			least = beyond;
		if (beyond > most)
			most = beyond;
	}
	cr_assert_lt(most - least, SLICE_TICKS / 2, "%ju ticks",
		     (uintmax_t)(most - least));
	hw_competitor_end(competitor);
	selfmon_counters_close(set);
}
