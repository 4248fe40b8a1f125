/* SPDX-License-Identifier: MIT */
/*
 * Tests which pages may be read in user space. The capability word has changed
 * its meaning, so each meaning is tested.
 */
#include <criterion/criterion.h>

#include "counters/set.h"

static struct selfmon_page page;

static void setup(void)
{
	page = (struct selfmon_page){
		.lock = 2,
		.index = 1,
		.capabilities = 0x1e,
		.pmc_width = 48,
		.size = 96,
	};
	if (!SELFMON_ARCH_USER_READ)
		cr_skip_test("no user reads on " SELFMON_ARCH_NAME);
}

static bool passes(uint64_t capabilities)
{
	unsigned int shift;

	page.capabilities = capabilities;
	return selfmon_page_check(&page, &shift);
}

TestSuite(page_check, .init = setup);

Test(page_check, takes_a_page_of_today_and_gives_its_shift)
{
	unsigned int shift = 99;

	cr_assert(selfmon_page_check(&page, &shift));
	cr_assert_eq(shift, 16);
	cr_assert(passes(0x3e), "with time_short");
	cr_assert(passes(0x06), "without a clock");
}

Test(page_check, refuses_kernels_without_capabilities)
{
	cr_assert_not(passes(0));
}

Test(page_check, refuses_bit_0_of_3_4_to_3_11_that_means_two_things)
{
	cr_assert_not(passes(0x1));
}

Test(page_check, refuses_the_numbering_of_3_12_rc1)
{
	/* usr_time, usr_rdpmc and usr_time_zero in bits 0, 1 and 2 */
	cr_assert_not(passes(0x3));
	cr_assert_not(passes(0x5));
}

Test(page_check, refuses_a_page_that_does_not_allow_user_reads)
{
	cr_assert_not(passes(0x2));
	cr_assert_not(passes(0x1a));
	cr_assert_not(passes(0x3a));
}

Test(page_check, refuses_a_user_bit_whose_meaning_is_not_vouched_for)
{
	cr_assert_not(passes(0x4));
	cr_assert_not(passes(0x1c));
}

Test(page_check, refuses_a_sampling_software_clock_that_claims_user_reads)
{
	unsigned int shift = 99;

	page.pmc_width = 0;
	cr_assert_not(selfmon_page_check(&page, &shift));
	cr_assert_eq(shift, 99);
}

Test(page_check, refuses_a_width_beyond_64)
{
	unsigned int shift;

	page.pmc_width = 65;
	cr_assert_not(selfmon_page_check(&page, &shift));
	page.pmc_width = UINT16_MAX;
	cr_assert_not(selfmon_page_check(&page, &shift));
}

Test(page_check, takes_the_widths_at_both_ends)
{
	unsigned int shift = 99;

	page.pmc_width = 1;
	cr_assert(selfmon_page_check(&page, &shift));
	cr_assert_eq(shift, 63);
	page.pmc_width = 64;
	cr_assert(selfmon_page_check(&page, &shift));
	cr_assert_eq(shift, 0);
}

Test(page_check, refuses_index_0)
{
	unsigned int shift;

	page.index = 0;
	cr_assert_not(selfmon_page_check(&page, &shift));
}

Test(page_check, refuses_the_packed_fractions_of_perf_metrics)
{
	unsigned int shift;

	page.index = (UINT32_C(1) << 29) + 1;
	cr_assert_not(selfmon_page_check(&page, &shift));
}

Test(page_check, takes_a_fixed_counter)
{
	unsigned int shift;

	if (SELFMON_ARCH_COUNTERS <= UINT32_C(1) << 30)
		cr_skip_test("no fixed counters on " SELFMON_ARCH_NAME);
	page.index = ((UINT32_C(1) << 30) | 3) + 1;
	cr_assert(selfmon_page_check(&page, &shift));
}

Test(page_check, takes_every_counter_and_none_beyond_the_last)
{
	uint32_t last = SELFMON_ARCH_COUNTERS;
	unsigned int shift;

	if (last == UINT32_MAX)
		cr_skip_test("any number may be a counter on "
			     SELFMON_ARCH_NAME);
	page.index = last;
	cr_assert(selfmon_page_check(&page, &shift));
	page.index = last + 1;
	cr_assert_not(selfmon_page_check(&page, &shift));
}
