/* SPDX-License-Identifier: MIT */
/*
 * Tests counters narrower than 64 bits that wrap during a region.
 *
 * The kernel sets a counter of w bits so that it overflows after 2^(w-1) - 1
 * counts, and then adds this number to the event's count (kernel
 * arch/x86/events/core.c, x86_perf_event_set_period; drivers/perf/arm_pmu.c,
 * armpmu_event_set_period).
 */
#include <stdlib.h>

#include "counters/group.h"
#include "counters/set.h"
#include "hw/nops.h"

/*
 * A counter that wraps later is not tested. An emulator executes 2^34 nops per
 * second, a real machine 2^33.
 */
#define INSTRUCTIONS_MAX (UINT64_C(1) << (hw_guest() ? 38 : 33))
/*
 * If a counter wraps sooner, a test has about this number of instructions, so
 * that the counter wraps several times. A narrow counter gets fewer: it wraps
 * at most WRAPS_MAX times.
 */
#define INSTRUCTIONS_MOST (UINT64_C(1) << 35)
#define WRAPS_MAX 1000
#define TIMEOUT 1000 /* seconds; in an emulator, of its virtual time */

static unsigned int width_of(const struct selfmon_counters *set, size_t i)
{
	return 64u - set->shift[i];
}

/*
 * Compares the instructions of a loop. On a real machine each interrupt and
 * fault may add one, and a repeated read is counted in the visit.
 */
static void assert_turns(const struct selfmon_delta *many,
			 const struct selfmon_delta *one, uint64_t turns)
{
	const uint64_t count = many->value[0].count - one->value[0].count;
	const uint64_t expected = turns * NOPS_TURN;
	const uint64_t slack = (hw_exact() ? 0 : expected / 1000 + 1000) +
			       many->moved * HW_TRY_INSTRUCTIONS;

	cr_assert(count >= expected && count - expected <= slack,
		  "%llu counts, expected %llu", (unsigned long long)count,
		  (unsigned long long)expected);
}

/*
 * Returns a number of iterations of nops() for a counter with `rate` counts per
 * instruction. The counter wraps up to WRAPS_MAX times, and counts a little
 * more.
 */
static uint64_t turns_to_wrap(unsigned int width, uint64_t rate)
{
	const uint64_t max = INSTRUCTIONS_MAX;
	uint64_t each, wraps;

	if (width == 64)
		cr_skip_test("a counter of 64 bits does not wrap");
	each = (UINT64_C(1) << (width - 1)) / rate;
	if (each > max)
		cr_skip_test("a counter of %u bits wraps too late", width);
	wraps = INSTRUCTIONS_MOST / each + 1;
	wraps = wraps < WRAPS_MAX ? wraps : WRAPS_MAX;
	return (each * wraps + 1000000) / NOPS_TURN;
}

static struct selfmon_counters *open_user(const char *spec)
{
	struct selfmon_counters *set = hw_open(spec);

	hw_require_user_reads(set);
	return set;
}

/* Returns the difference between member i and the result of a later read(2). */
static uint64_t behind_kernel(const struct selfmon_counters *set, size_t i)
{
	const int fd = selfmon_set_of(set)->member[0].fd_plus_1 - 1;
	struct selfmon_group_read in;
	struct selfmon_snapshot now;

	selfmon_counters_begin(set, &now);
	cr_assert_eq(now.flags, 0);
	cr_assert_eq(selfmon_group_read(fd, set->count, &in), 0);
	return in.value[i] - now.value[i];
}

Test(hw_overflow, wraps_under_a_region_change_no_count, .timeout = TIMEOUT)
{
	struct selfmon_counters *set = open_user("instructions");
	const uint64_t turns = turns_to_wrap(width_of(set, 0), 1);
	struct selfmon_delta one, many;

	nops_visit(set, 1, &one);
	nops_visit(set, turns, &many);
	cr_assert_eq(many.value[0].verdict, SELFMON_EXACT);
	assert_turns(&many, &one, turns - 1);
	selfmon_counters_close(set);
}

/* There may be more than one cycle per instruction, so cycles wrap earlier. */
Test(hw_overflow, wraps_of_a_faster_sibling_change_no_count, .timeout = TIMEOUT)
{
	struct selfmon_counters *set = open_user("instructions,cycles");
	const unsigned int width = width_of(set, 1);
	struct selfmon_delta one, many;
	uint64_t turns, rate, cycles;

	nops_visit(set, 1, &one);
	nops_visit(set, 1001, &many);
	rate = (many.value[1].count - one.value[1].count) / (1000 * NOPS_TURN);
	rate = rate ? rate : 1;
	turns = turns_to_wrap(width, rate);
	nops_visit(set, turns, &many);
	cr_assert_eq(many.value[0].verdict, SELFMON_EXACT);
	cr_assert_eq(many.value[1].verdict, SELFMON_EXACT);
	assert_turns(&many, &one, turns - 1);
	cycles = many.value[1].count - one.value[1].count;
	if (hw_guest())
		cr_assert_lt(
			llabs((long long)(cycles - rate * turns * NOPS_TURN)),
			1ll << (width - 2), "%llu cycles in %llu turns",
			(unsigned long long)cycles, (unsigned long long)turns);
	selfmon_counters_close(set);
}

Test(hw_overflow, three_times_what_a_counter_of_32_bits_holds_is_exact,
     .timeout = TIMEOUT)
{
	const uint64_t turns = (UINT64_C(3) << 32) / NOPS_TURN + 1;
	struct selfmon_counters *set = open_user("instructions");
	struct selfmon_delta one, many;

	if (width_of(set, 0) > 32 && !hw_guest())
		cr_skip_test("counters have %u bits", width_of(set, 0));
	nops_visit(set, 1, &one);
	nops_visit(set, turns, &many);
	cr_assert_eq(many.value[0].verdict, SELFMON_EXACT);
	assert_turns(&many, &one, turns - 1);
	selfmon_counters_close(set);
}

/*
 * Before its first overflow a register is negative: without sign extension a
 * user read would be 2^width above the result of read(2).
 */
Test(hw_overflow, a_user_read_is_what_the_kernel_says_between_wraps,
     .timeout = TIMEOUT)
{
	struct selfmon_counters *set = open_user("instructions");
	const unsigned int width = width_of(set, 0);
	const uint64_t part = width < 48 ? (UINT64_C(1) << (width - 1)) / 7 : 0;
	int i;

	for (i = 0; i < 30; i++) {
		cr_assert_lt(behind_kernel(set, 0), 10000, "at step %d", i);
		nops(1 + (part < INSTRUCTIONS_MAX / 64 ? part : 0) / NOPS_TURN);
	}
	selfmon_counters_close(set);
}

/*
 * Reads continuously around each overflow, so that overflows happen between any
 * two instructions of a read.
 */
Test(hw_overflow, a_read_at_any_moment_of_a_wrap_is_whole)
{
	struct selfmon_counters *set = open_user("instructions");
	const struct selfmon_page *const page = set->page[0];
	uint64_t last = 0, now = 0, step = 0;
	uint32_t moved = 0;
	int i;

	if (width_of(set, 0) > 24)
		cr_skip_test("a counter of %u bits wraps too rarely",
			     width_of(set, 0));
	for (i = 0; i < 2000000; i++) {
		cr_assert(selfmon_page_read(page, set->shift[0], &now, &moved));
		if (i > 0 && now - last > step)
			step = now - last;
		last = now;
	}
	cr_assert_gt(moved, 0, "no overflow fell into a read");
	cr_assert_lt(step, 100 * SELFMON_PAGE_TRIES,
		     "two reads in a row differ by %llu",
		     (unsigned long long)step);
	selfmon_counters_close(set);
}
