/* SPDX-License-Identifier: MIT */
/* Tests the clock that is computed from two pairs of readings. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <errno.h>
#include <sys/resource.h>

#include "clock/calibrate.h"

/*
 * A machine of 2.5 GHz. The pairs are 20 ms apart, and each was read within
 * 50 ns (125 ticks).
 */
static const struct selfmon_clock_pair first = { 1000000000, 700000000, 125,
						 42 };
static const struct selfmon_clock_pair second = { 1050000000, 720000000, 125,
						  42 };

Test(clock_calibrate, finds_the_rate_between_two_pairs)
{
	struct selfmon_clock clock;

	cr_assert_eq(selfmon_clock_from_pairs(&clock, &first, &second), 0);
	cr_assert_eq(clock.source, SELFMON_CLOCK_CALIBRATED);
	cr_assert_eq(clock.hz, 2500000000);
	cr_assert_geq(selfmon_clock_ns(&clock, 2500000000), 999999990);
	cr_assert_leq(selfmon_clock_ns(&clock, 2500000000), 1000000010);
}

Test(clock_calibrate, states_the_error_of_the_brackets)
{
	struct selfmon_clock clock;
	struct selfmon_clock_pair wide = second;

	selfmon_clock_from_pairs(&clock, &first, &second);
	cr_assert_geq(clock.error_ppm, 3, "125 of 50 million ticks");
	cr_assert_leq(clock.error_ppm, 5);
	/*
	 * The reading was preempted: the error is half of 40 us, relative to
	 * 20 ms.
	 */
	wide.width_ticks = 100000;
	selfmon_clock_from_pairs(&clock, &first, &wide);
	cr_assert_geq(clock.error_ppm, 1000);
	cr_assert_leq(clock.error_ppm, 1010);
}

Test(clock_calibrate, grows_surer_with_the_base_line)
{
	struct selfmon_clock_pair later = second;
	struct selfmon_clock clock;

	later.ticks = first.ticks + UINT64_C(2500000000) * 100;
	later.raw_ns = first.raw_ns + UINT64_C(1000000000) * 100;
	cr_assert_eq(selfmon_clock_from_pairs(&clock, &first, &later), 0);
	cr_assert_eq(clock.error_ppm, 1);
	cr_assert_eq(clock.hz, 2500000000);
}

Test(clock_calibrate, holds_over_a_base_line_of_ten_years)
{
	const uint64_t seconds = 315360000;
	struct selfmon_clock_pair later = second;
	struct selfmon_clock clock;

	later.ticks = first.ticks + 5000000000 * seconds;
	later.raw_ns = first.raw_ns + 1000000000 * seconds;
	cr_assert_eq(selfmon_clock_from_pairs(&clock, &first, &later), 0);
	cr_assert_eq(clock.hz, 5000000000);
}

Test(clock_calibrate, refuses_time_that_stands_still_or_goes_back)
{
	struct selfmon_clock_pair bad = second;
	struct selfmon_clock clock;

	bad.ticks = first.ticks;
	cr_assert_eq(selfmon_clock_from_pairs(&clock, &first, &bad), -ERANGE);
	bad.ticks = 5; /* the counter was reset by a resume */
	cr_assert_eq(selfmon_clock_from_pairs(&clock, &first, &bad), -ERANGE);
	bad = second;
	bad.raw_ns = first.raw_ns;
	cr_assert_eq(selfmon_clock_from_pairs(&clock, &first, &bad), -ERANGE);
}

Test(clock_calibrate, refuses_a_base_line_across_a_suspend)
{
	struct selfmon_clock_pair woken = second;
	struct selfmon_clock clock;

	woken.asleep_ns += 3000000000;
	cr_assert_eq(selfmon_clock_from_pairs(&clock, &first, &woken),
		     -ERANGE);
}

Test(clock_calibrate, starts_again_from_a_first_pair_that_is_no_use)
{
	struct selfmon_clock_pair stale;
	struct selfmon_clock clock;

	selfmon_clock_pair_take(&stale, 1);
	stale.asleep_ns -= 3000000000;
	stale.ticks -= UINT64_C(1) << 40;
	selfmon_clock_calibrate(&clock, &stale);
	cr_assert_leq(clock.error_ppm, 1000);
	cr_assert_gt(clock.hz, 1000000);
	cr_assert_lt(clock.hz, 20000000000);
}

/* A sleep would be visible as a voluntary context switch of the thread. */
Test(clock_calibrate, does_not_sleep_where_the_base_line_at_hand_is_good)
{
	struct selfmon_clock_pair start, now;
	struct rusage before, after;
	struct selfmon_clock clock;

	selfmon_clock_pair_take(&start, 32);
	do {
		selfmon_clock_pair_take(&now, 32);
		cr_assert_eq(getrusage(RUSAGE_THREAD, &before), 0);
	} while (selfmon_clock_from_pairs(&clock, &start, &now) ||
		 clock.error_ppm > 100);
	selfmon_clock_calibrate(&clock, &start);
	cr_assert_eq(getrusage(RUSAGE_THREAD, &after), 0);
	cr_assert_leq(clock.error_ppm, 1000);
	cr_assert_eq(after.ru_nvcsw, before.ru_nvcsw);
}

Test(clock_calibrate, states_the_error_of_a_base_line_of_no_length)
{
	struct selfmon_clock_pair start;
	struct selfmon_clock clock;

	selfmon_clock_pair_take(&start, 32);
	selfmon_clock_calibrate(&clock, &start);
	cr_assert_gt(clock.error_ppm, 0);
	cr_assert_leq(clock.error_ppm, 1000);
}
