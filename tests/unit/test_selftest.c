/* SPDX-License-Identifier: MIT */
/* Tests the judges of selfmon selftest with right and wrong samples. */
#include <criterion/criterion.h>
#include <string.h>

#include "../../tools/selftest_judge.h"
#include "../../tools/selftest_judge_rest.h"
#include "../../tools/selftest_row.h"

#define SAMPLES 100
#define SIZE UINT64_C(10000)
#define EXPECTED (SIZE + 23)

static struct selftest_row row;
static struct selftest_sample sample[SAMPLES];
static struct selftest_counts counts;

static void set_up(void)
{
	size_t i;

	memset(&row, 0, sizeof(row));
	for (i = 0; i < SAMPLES; i++)
		sample[i] = (struct selftest_sample){ EXPECTED, SELFMON_EXACT,
						      0, 0 };
	counts = (struct selftest_counts){ .what = "loop", .size = SIZE,
					   .expected = EXPECTED,
					   .count = SAMPLES, .sample = sample,
					   .ns = SAMPLES * 3000 };
}

TestSuite(selftest, .init = set_up);

static void expect_status(enum selftest_status status)
{
	cr_assert_eq(row.status, status, "%s, not %s: %s",
		     selftest_status_name(row.status),
		     selftest_status_name(status), row.reason.text);
}

/*
 * Expects one failure with these two numbers: the least expected value, and the
 * value seen.
 */
static void expect_failed(double least, double seen)
{
	expect_status(SELFTEST_FAIL);
	cr_assert_eq(row.differences, 1);
	cr_assert_float_eq(row.difference[0].least, least, 0.5, "%f",
			   row.difference[0].least);
	cr_assert_float_eq(row.difference[0].seen, seen, 0.5, "%f",
			   row.difference[0].seen);
}

Test(selftest, counts_that_are_alike_pass)
{
	cr_assert_eq(selftest_judge_counts(&counts, &row), SAMPLES);
	expect_status(SELFTEST_PASS);
}

Test(selftest, one_count_below_the_loop_fails)
{
	sample[42].count--;
	selftest_judge_counts(&counts, &row);
	expect_failed(EXPECTED, EXPECTED - 1);
}

/*
 * The error is as large as if a register was not sign-extended, or the wrong
 * register was read.
 */
Test(selftest, a_count_far_off_fails)
{
	sample[7].count += UINT64_C(1) << 48;
	selftest_judge_counts(&counts, &row);
	expect_failed(EXPECTED, EXPECTED + (double)(UINT64_C(1) << 48));
}

Test(selftest, counts_of_nothing_fail)
{
	size_t i;

	for (i = 0; i < SAMPLES; i++)
		sample[i].count = 0;
	selftest_judge_counts(&counts, &row);
	expect_failed(EXPECTED, 0);
}

Test(selftest, an_excess_with_an_interrupt_passes)
{
	sample[3].count++;
	counts.causes = 1;
	selftest_judge_counts(&counts, &row);
	expect_status(SELFTEST_PASS);
}

Test(selftest, an_excess_without_an_interrupt_fails)
{
	sample[3].count += 3;
	selftest_judge_counts(&counts, &row);
	expect_failed(0, 3);
}

Test(selftest, interrupts_of_a_host_are_not_seen)
{
	sample[3].count += 3;
	counts.hypervisor = true;
	selftest_judge_counts(&counts, &row);
	expect_status(SELFTEST_PASS);
}

Test(selftest, a_snapshot_read_again_may_add_its_instructions)
{
	sample[3].count += 120;
	sample[3].moved = 1;
	selftest_judge_counts(&counts, &row);
	expect_status(SELFTEST_PASS);
}

/* Each visit has one instruction more. Interrupts would not be so regular. */
Test(selftest, one_more_in_all_visits_fails)
{
	size_t i;

	for (i = 0; i < SAMPLES; i++)
		sample[i].count++;
	counts.causes = SAMPLES;
	selftest_judge_counts(&counts, &row);
	expect_failed(EXPECTED, EXPECTED + 1);
}

Test(selftest, interrupts_in_most_visits_are_no_answer)
{
	size_t i;

	for (i = 0; i < SAMPLES; i++)
		sample[i].count += i % 3;
	counts.causes = SAMPLES;
	counts.sample[1].count++;
	counts.sample[0].count++;
	selftest_judge_counts(&counts, &row);
	expect_status(SELFTEST_BUSY);
}

Test(selftest, visits_without_values_are_left_out)
{
	sample[1] = (struct selftest_sample){ 0, SELFMON_NOT_COUNTED,
					      SELFMON_DELTA_REFUSED, 0 };
	sample[2] = (struct selftest_sample){ 5, SELFMON_SCALED, 0, 0 };
	cr_assert_eq(selftest_judge_counts(&counts, &row), SAMPLES - 2);
	expect_status(SELFTEST_PASS);
}

Test(selftest, few_values_are_no_answer)
{
	size_t i;

	for (i = 0; i < SAMPLES - 10; i++)
		sample[i].verdict = SELFMON_NOT_COUNTED;
	selftest_judge_counts(&counts, &row);
	expect_status(SELFTEST_BUSY);
}

static struct selftest_sums sums_of(uint64_t least, uint64_t sum)
{
	return (struct selftest_sums){ .what = "region", .size = SIZE,
				       .expected = EXPECTED, .visits = 10,
				       .least = least, .sum = sum };
}

Test(selftest, sums_of_regions)
{
	const struct selftest_sums right = sums_of(EXPECTED, 10 * EXPECTED);
	const struct selftest_sums low = sums_of(EXPECTED - 1, 10 * EXPECTED);
	const struct selftest_sums high = sums_of(EXPECTED, 11 * EXPECTED);

	selftest_judge_sums(&right, &row);
	expect_status(SELFTEST_PASS);
	selftest_judge_sums(&low, &row);
	expect_failed(EXPECTED, EXPECTED - 1);
	set_up();
	selftest_judge_sums(&high, &row);
	expect_failed(10 * EXPECTED, 11 * EXPECTED);
}

static void judge_slope(uint64_t once, double part, uint64_t twice)
{
	const struct selftest_least least[] = { { once, part },
						{ twice, part } };

	set_up();
	selftest_judge_slope("N", SIZE, &least[0], &least[1], &row);
}

Test(selftest, a_slope_that_is_off_fails)
{
	judge_slope(EXPECTED, 0.9, EXPECTED + SIZE);
	expect_status(SELFTEST_PASS);
	judge_slope(EXPECTED, 0.9, EXPECTED + SIZE - 1);
	expect_failed(SIZE, SIZE - 1);
}

Test(selftest, a_slope_of_few_visits_may_be_disturbed)
{
	judge_slope(EXPECTED, 0.01, EXPECTED + SIZE + 1);
	expect_status(SELFTEST_BUSY);
	judge_slope(EXPECTED, 0.01, EXPECTED + SIZE + 100);
	expect_failed(SIZE, SIZE + 100);
}

Test(selftest, a_user_read_outside_of_its_bracket_fails)
{
	struct selftest_bracket bracket[] = { { 1, 1, 1 }, { 5, 6, 7 } };

	selftest_judge_brackets("reads", bracket, 2, &row);
	expect_status(SELFTEST_PASS);
	bracket[1].inside += UINT64_C(1) << 48;
	selftest_judge_brackets("reads", bracket, 2, &row);
	expect_failed(5, 6 + (double)(UINT64_C(1) << 48));
	set_up();
	bracket[0].inside = 0;
	selftest_judge_brackets("reads", bracket, 1, &row);
	expect_failed(1, 0);
}

Test(selftest, a_run_that_goes_back_fails)
{
	const struct selftest_run back = { .reads = 10, .backwards = 1,
					   .first_back = 77 };

	selftest_judge_run(&back, &row);
	expect_failed(0, -77);
}

Test(selftest, a_run_with_too_few_or_too_many_fails)
{
	struct selftest_run run = { .reads = 10, .work = 1000, .slack = 10,
				    .counted = 1005 };

	selftest_judge_run(&run, &row);
	expect_status(SELFTEST_PASS);
	run.counted = 999;
	selftest_judge_run(&run, &row);
	expect_failed(1000, 999);
	set_up();
	run.counted = 1011;
	selftest_judge_run(&run, &row);
	expect_failed(1000, 1011);
}

Test(selftest, the_truth_outside_of_an_estimate_fails)
{
	struct selftest_estimate estimate = { 900, 200, SELFMON_SCALED, 1000,
					      1010 };

	selftest_judge_estimates(&estimate, 1, &row);
	expect_status(SELFTEST_PASS);
	estimate.count = 700;
	selftest_judge_estimates(&estimate, 1, &row);
	expect_failed(1000, 700);
}

/*
 * Half of the true count, shown as if the event had been counted all the time.
 */
Test(selftest, an_estimate_shown_as_exact_fails)
{
	const struct selftest_estimate estimate = { 500, 0, SELFMON_EXACT,
						    1000, 1010 };

	selftest_judge_estimates(&estimate, 1, &row);
	expect_failed(1000, 500);
}

Test(selftest, refused_values_are_not_judged)
{
	const struct selftest_estimate estimate = { 0, 0, SELFMON_NOT_COUNTED,
						    1000, 1010 };

	selftest_judge_estimates(&estimate, 1, &row);
	expect_status(SELFTEST_PASS);
}

Test(selftest, a_clock_that_is_off_by_more_than_it_states_fails)
{
	struct selftest_clocks clocks = { 2e9 + 50000, 2e9, 100, 30 };

	selftest_judge_clock(&clocks, &row);
	expect_status(SELFTEST_PASS);
	clocks.seen_ns = 2e9 * (1 + 1 / 1024.0);
	selftest_judge_clock(&clocks, &row);
	expect_failed(2e9 - 60100, clocks.seen_ns);
}

Test(selftest, overhead_that_is_off_by_a_fifth_fails)
{
	struct selftest_self self = { "outer", 100, 12, 104.5, 2 };

	selftest_judge_self(&self, &row);
	expect_status(SELFTEST_PASS);
	self.seen = 100 + 0.2 * 150;
	selftest_judge_self(&self, &row);
	expect_failed(98, 130);
	set_up();
	self.seen = 100 - 0.2 * 150;
	selftest_judge_self(&self, &row);
	expect_failed(98, 70);
}

Test(selftest, slopes_of_perf_and_of_the_library)
{
	selftest_judge_perf(1e8, 1e8 + 500, 1e8 + 6, 1100, 5000, &row);
	expect_status(SELFTEST_PASS);
	selftest_judge_perf(1e8, 1.001e8, 1e8, 1100, 5000, &row);
	expect_failed(1e8 - 6100, 1.001e8);
	set_up();
	selftest_judge_perf(1e8, 1e8 + 3000, 1e8 + 3000, 1100, 5000, &row);
	expect_failed(1e8 - 1100, 1e8 + 3000);
}

Test(selftest, differences_beyond_the_first_are_counted)
{
	struct selftest_bracket bracket[20] = { { 0, 1, 0 } };
	size_t i;

	for (i = 1; i < 20; i++)
		bracket[i] = bracket[0];
	selftest_judge_brackets("reads", bracket, 20, &row);
	cr_assert_eq(row.differences, 20);
}

Test(selftest, a_failure_is_not_taken_back)
{
	selftest_differs(&row, 1, 1, 2, "a");
	selftest_absent(&row, "gone");
	expect_status(SELFTEST_FAIL);
	cr_assert_eq(row.reason.length, 0);
}

Test(selftest, samples_in_the_wrong_region)
{
	struct selftest_places places = { .wanted = 50, .right = 50 };

	selftest_judge_places(&places, &row);
	expect_status(SELFTEST_PASS);
	places.right = 49;
	selftest_judge_places(&places, &row);
	expect_status(SELFTEST_BUSY);
	set_up();
	places.outer_elsewhere = 1;
	selftest_judge_places(&places, &row);
	expect_failed(0, 1);
	set_up();
	places.outer_elsewhere = 0;
	places.inner_elsewhere = 7;
	selftest_judge_places(&places, &row);
	expect_failed(0, 7);
}

Test(selftest, naps_as_often_and_as_long_as_they_were)
{
	struct selftest_naps naps = { .naps = 20,
				      .blocked = 20,
				      .expected = 20,
				      .blocked_ns = 21000000,
				      .least_ns = 20000000,
				      .most_ns = 22000000 };

	selftest_judge_naps(&naps, &row);
	expect_status(SELFTEST_PASS);
	naps.blocked = 19;
	selftest_judge_naps(&naps, &row);
	expect_failed(20, 19);
	set_up();
	naps.blocked = 20;
	naps.blocked_ns = 22000001;
	selftest_judge_naps(&naps, &row);
	expect_failed(18000000, 22000001);
	set_up();
	naps.blocked_ns = 17000000;
	selftest_judge_naps(&naps, &row);
	expect_failed(18000000, 17000000);
}
