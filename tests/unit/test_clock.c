/* SPDX-License-Identifier: MIT */
/*
 * Tests the ranking of clock sources, the conversion of ticks, and the page's
 * clock. None of these makes a system call.
 */
#include <criterion/criterion.h>
#include <errno.h>

#include "clock/clock.h"
#include "clock/ladder.h"
#include "clock/page_clock.h"

/* Computes ns = ticks * mult / 2^shift, digit by digit in base 2^32. */
static uint64_t long_multiply_ns(uint64_t ticks, uint64_t mult, uint32_t shift)
{
	const uint64_t tl = ticks & UINT32_MAX, th = ticks >> 32;
	const uint64_t ml = mult & UINT32_MAX, mh = mult >> 32;
	const uint64_t low = tl * ml;
	const uint64_t middle = th * ml + (low >> 32);
	const uint64_t cross = tl * mh + (middle & UINT32_MAX);
	const uint64_t high = th * mh + (middle >> 32) + (cross >> 32);
	const uint64_t bottom = cross << 32 | (low & UINT32_MAX);

	return shift ? high << (64 - shift) | bottom >> shift : bottom;
}

static struct selfmon_clock clock_of(uint64_t hz)
{
	struct selfmon_clock clock;

	selfmon_clock_from_hz(&clock, SELFMON_CLOCK_CPUID, hz);
	return clock;
}

Test(clock_convert, agrees_with_long_multiplication_at_the_extremes)
{
	static const uint64_t rates[] = { 1000000, 19200000, 999999999,
					  1000000000, 2596130000, 10000000000 };
	static const uint64_t ticks[] = { 0, 1, 2, UINT32_MAX,
					  UINT64_C(1) << 32,
					  UINT64_C(1) << 53, INT64_MAX,
					  UINT64_MAX - 1, UINT64_MAX };
	size_t i, j;

	for (i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		const struct selfmon_clock clock = clock_of(rates[i]);

		for (j = 0; j < sizeof(ticks) / sizeof(ticks[0]); j++)
			cr_assert_eq(selfmon_clock_ns(&clock, ticks[j]),
				     long_multiply_ns(ticks[j], clock.mult,
						      clock.shift),
				     "%lu Hz, %lu ticks",
				     (unsigned long)rates[i],
				     (unsigned long)ticks[j]);
	}
}

Test(clock_convert, does_not_overflow_at_the_last_tick_of_a_fast_clock)
{
	const struct selfmon_clock clock = clock_of(10000000000);
	const uint64_t ns = selfmon_clock_ns(&clock, UINT64_MAX);

	/*
	 * The value is a tenth of 2^64. The error of mult is at most 0.0025
	 * ppm.
	 */
	cr_assert_geq(ns, UINT64_MAX / 10 - UINT64_MAX / 4000000000u);
	cr_assert_leq(ns, UINT64_MAX / 10 + UINT64_MAX / 4000000000u);
}

Test(clock_convert, is_within_one_ppm_from_1_mhz_to_10_ghz)
{
	uint64_t hz;

	for (hz = 1000000; hz <= 10000000000; hz += hz / 97 + 1) {
		const struct selfmon_clock clock = clock_of(hz);
		const uint64_t ns = selfmon_clock_ns(&clock, hz * 1000);

		cr_assert_geq(ns, UINT64_C(999999000000), "%lu Hz",
			      (unsigned long)hz);
		cr_assert_leq(ns, UINT64_C(1000001000000), "%lu Hz",
			      (unsigned long)hz);
	}
}

Test(clock_convert, leaves_nanoseconds_as_they_are)
{
	struct selfmon_clock clock;

	selfmon_clock_from_hz(&clock, SELFMON_CLOCK_GETTIME, 1000000000);
	cr_assert_eq(clock.mult, 1);
	cr_assert_eq(clock.shift, 0);
	cr_assert_eq(clock.error_ppm, 0);
	cr_assert_eq(selfmon_clock_ns(&clock, UINT64_MAX), UINT64_MAX);
}

Test(clock_ladder, takes_the_best_source_on_offer)
{
	struct selfmon_clock_offer offer = { true, true, 3000000000,
					     2999999000 };

	cr_assert_eq(selfmon_clock_choose(&offer, SELFMON_CLOCK_NONE),
		     SELFMON_CLOCK_PERF_PAGE);
	offer.page = false;
	cr_assert_eq(selfmon_clock_choose(&offer, SELFMON_CLOCK_NONE),
		     SELFMON_CLOCK_CPUID);
	offer.cpuid_hz = 0;
	cr_assert_eq(selfmon_clock_choose(&offer, SELFMON_CLOCK_NONE),
		     SELFMON_CLOCK_HYPERVISOR);
	offer.hypervisor_hz = 0;
	cr_assert_eq(selfmon_clock_choose(&offer, SELFMON_CLOCK_NONE),
		     SELFMON_CLOCK_CALIBRATED);
}

Test(clock_ladder, ends_at_gettime_where_the_counter_is_no_clock)
{
	const struct selfmon_clock_offer offer = { false, true, 3000000000,
						   2999999000 };

	cr_assert_eq(selfmon_clock_choose(&offer, SELFMON_CLOCK_NONE),
		     SELFMON_CLOCK_GETTIME);
}

Test(clock_ladder, takes_nothing_better_than_what_is_forced)
{
	const struct selfmon_clock_offer offer = { true, true, 3000000000,
						   2999999000 };
	enum selfmon_clock_source source;

	for (source = SELFMON_CLOCK_PERF_PAGE; source <= SELFMON_CLOCK_GETTIME;
	     source++)
		cr_assert_eq(selfmon_clock_choose(&offer, source), source);
}

Test(clock_bound, is_16_events_a_nanosecond_rounded_up)
{
	cr_assert_eq(selfmon_clock_events_per_tick(1000000000), 16);
	cr_assert_eq(selfmon_clock_events_per_tick(800000000), 20);
	cr_assert_eq(selfmon_clock_events_per_tick(2596130000), 7);
	cr_assert_eq(selfmon_clock_events_per_tick(1000000), 16000);
	cr_assert_eq(selfmon_clock_events_per_tick(20000000000), 1);
}

Test(clock_name, is_there_for_every_source_and_beyond)
{
	cr_assert_str_eq(selfmon_clock_source_name(SELFMON_CLOCK_NONE),
			 "not chosen");
	cr_assert_str_eq(selfmon_clock_source_name(SELFMON_CLOCK_PERF_PAGE),
			 "perf page");
	cr_assert_str_eq(selfmon_clock_source_name(SELFMON_CLOCK_CPUID),
			 "CPUID 15H");
	cr_assert_str_eq(selfmon_clock_source_name(SELFMON_CLOCK_HYPERVISOR),
			 "hypervisor");
	cr_assert_str_eq(selfmon_clock_source_name(SELFMON_CLOCK_CALIBRATED),
			 "calibrated");
	cr_assert_str_eq(selfmon_clock_source_name(SELFMON_CLOCK_GETTIME),
			 "clock_gettime");
	cr_assert_str_eq(selfmon_clock_source_name(
				 (enum selfmon_clock_source)99), "unknown");
}

/* Returns the page of a 2.1 GHz machine whose clock is usable. */
static struct selfmon_page native_page(void)
{
	struct selfmon_page page = { 0 };

	page.lock = 6;
	page.capabilities = SELFMON_PAGE_CAP_BIT0_IS_DEPRECATED |
			    SELFMON_PAGE_CAP_USER_TIME |
			    SELFMON_PAGE_CAP_USER_TIME_ZERO;
	page.time_mult = 1022621974;
	page.time_shift = 31;
	page.size = 96;
	return page;
}

Test(clock_page, gives_the_kernels_own_conversion)
{
	const struct selfmon_page page = native_page();
	struct selfmon_clock clock;

	cr_assert_eq(selfmon_clock_from_page(&clock, &page), 0);
	cr_assert_eq(clock.source, SELFMON_CLOCK_PERF_PAGE);
	cr_assert_eq(clock.mult, 1022621974);
	cr_assert_eq(clock.shift, 31);
	cr_assert_eq(clock.hz / 1000, 2099978);
}

Test(clock_page, is_refused_without_the_time_capability)
{
	struct selfmon_page page = native_page();
	struct selfmon_clock clock;

	page.capabilities = SELFMON_PAGE_CAP_BIT0_IS_DEPRECATED;
	cr_assert_eq(selfmon_clock_from_page(&clock, &page), -ENOTSUP);
}

Test(clock_page, is_refused_from_kernels_whose_capability_bits_lie)
{
	struct selfmon_page page = native_page();
	struct selfmon_clock clock;

	page.capabilities = SELFMON_PAGE_CAP_BIT0 | SELFMON_PAGE_CAP_USER_TIME;
	cr_assert_eq(selfmon_clock_from_page(&clock, &page), -ENOTSUP);
}

Test(clock_page, is_refused_where_the_conversion_makes_no_sense)
{
	struct selfmon_page page = native_page();
	struct selfmon_clock clock;

	page.time_mult = 0;
	cr_assert_eq(selfmon_clock_from_page(&clock, &page), -ENOTSUP);
	page = native_page();
	page.time_shift = 32;
	cr_assert_eq(selfmon_clock_from_page(&clock, &page), -ENOTSUP);
}

/*
 * An arm64 machine with a counter of 57 bits. The kernel's last reading is near
 * the end of the range.
 */
#define MASK57 (UINT64_MAX >> 7)

static struct selfmon_page short_page(void)
{
	struct selfmon_page page = native_page();

	page.capabilities |= SELFMON_PAGE_CAP_USER_TIME_SHORT;
	page.time_cycles = MASK57 - 99;
	page.time_mask = MASK57;
	return page;
}

static bool is_short(const struct selfmon_page *page, uint64_t *cycles,
		     uint64_t *unused)
{
	*cycles = *unused = 1;
	selfmon_clock_page_short(page, cycles, unused);
	return *cycles || *unused;
}

Test(clock_page, tells_where_a_counter_of_less_than_64_bits_wraps)
{
	const struct selfmon_page page = short_page();
	uint64_t cycles, unused;

	cr_assert(is_short(&page, &cycles, &unused));
	cr_assert_eq(unused, UINT64_C(0x7f) << 57);
	/* 50 ticks after the wrap, the time has continued. */
	cr_assert_eq(cycles + ((50 - cycles) & ~unused), MASK57 + 51);
}

Test(clock_page, has_no_wrap_where_the_kernel_tells_none)
{
	struct selfmon_page page = short_page();
	uint64_t cycles, unused;

	page.capabilities &= ~SELFMON_PAGE_CAP_USER_TIME_SHORT;
	cr_assert_not(is_short(&page, &cycles, &unused));
	page = short_page();
	page.size = 76; /* kernels before 5.9: these words have no meaning */
	cr_assert_not(is_short(&page, &cycles, &unused));
	page = short_page();
	page.time_mask = 0;
	cr_assert_not(is_short(&page, &cycles, &unused));
	page.time_mask = UINT64_C(0xff00000000000000);
	cr_assert_not(is_short(&page, &cycles, &unused));
}
