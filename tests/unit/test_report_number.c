/* SPDX-License-Identifier: MIT */
/*
 * Tests numbers as text: short, rounded once, and never wider than their
 * column.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "form.h"
#include "report/number.h"
#include "report/number_exact.h"

static char text[SELFMON_NUMBER_SIZE];

#define IS(call, wanted)                                                       \
	do {                                                                   \
		call;                                                          \
		cr_assert_str_eq(text, wanted);                                \
	} while (0)

Test(report_number, counts_are_plain_below_100000_and_prefixed_above)
{
	IS(selfmon_number_count(text, 0), "0");
	IS(selfmon_number_count(text, 99999.4), "99999");
	IS(selfmon_number_count(text, 99999.5), "100.0 k");
	IS(selfmon_number_count(text, 999949), "999.9 k");
	IS(selfmon_number_count(text, 999950), "1.000 M");
	IS(selfmon_number_count(text, 18446744073709551615.0), "18.45 E");
	IS(selfmon_number_count(text, 1e300), ">999 E");
	IS(selfmon_number_count(text, (double)NAN), "-");
}

Test(report_number, times_take_the_next_unit_when_rounding_reaches_it)
{
	IS(selfmon_number_time(text, 0, 4), "0 ns");
	IS(selfmon_number_time(text, 999.4, 3), "999 ns");
	IS(selfmon_number_time(text, 999.6, 3), "1.00 us");
	IS(selfmon_number_time(text, 999.96, 4), "1.000 us");
	IS(selfmon_number_time(text, 9.999, 3), "10.0 ns");
	IS(selfmon_number_time(text, 12.345e9, 4), "12.35 s");
	IS(selfmon_number_time(text, 86400e9 * 3, 4), "3.000 d");
	IS(selfmon_number_time(text, 18446744073709551615.0, 4), "584.5 y");
	IS(selfmon_number_time(text, 1e300, 4), ">999 y");
}

Test(report_number, no_time_or_count_is_wider_than_its_column)
{
	double value;

	for (value = 1e-3; value < 1e22; value *= 1.0009) {
		selfmon_number_time(text, value, 3);
		cr_assert_leq(strlen(text), 7, "%s", text);
		selfmon_number_time(text, value, 4);
		cr_assert_leq(strlen(text), 8, "%s", text);
		selfmon_number_count(text, value);
		cr_assert_leq(strlen(text), 7, "%s", text);
		selfmon_number_ratio(text, value);
		cr_assert_leq(strlen(text), 5, "%s", text);
		selfmon_number_share(text, value);
		cr_assert_leq(strlen(text), 5, "%s", text);
	}
}

Test(report_number, a_decimal_comma_of_any_bytes_becomes_a_point)
{
	strcpy(text, "12,5 ms");
	IS(selfmon_number_point(text), "12.5 ms");
	strcpy(text, "1\xd9\xab" "25e-07");
	IS(selfmon_number_point(text), "1.25e-07");
}

Test(report_number, exact_ones_read_back_the_same)
{
	IS(selfmon_number_exact(text, 0.1), "0.1");
	IS(selfmon_number_exact(text, 1.0 / 3), "0.3333333333333333");
	IS(selfmon_number_exact(text, (double)INFINITY), "null");
}

/*
 * Expects the fewest of 15 to 17 digits from which strtod(3) returns the value.
 */
static void check_exact(double value)
{
	char wanted[SELFMON_NUMBER_SIZE];
	int digits;

	for (digits = 15; digits <= 17; digits++) {
		double back;

		snprintf(wanted, sizeof(wanted), "%.*g", digits, value);
		back = strtod(wanted, NULL);
		if (back >= value && back <= value)
			break;
	}
	IS(selfmon_number_exact(text, value), wanted);
}

/*
 * Checks a number, the doubles before and after it, and the negatives of all
 * three. Does not use nextafter(3), which needs libm.
 */
static void check_around(double value)
{
	uint64_t bits;
	int i;

	memcpy(&bits, &value, sizeof(bits));
	for (i = -1; i <= 1; i++) {
		const uint64_t near = bits + (uint64_t)i;

		memcpy(&value, &near, sizeof(value));
		check_exact(value);
		check_exact(-value);
	}
}

static uint64_t random_bits(void)
{
	static uint64_t state = UINT64_C(88172645463325252);

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

Test(report_number, exact_ones_are_those_of_printf_at_every_limit)
{
	char power[8];
	int i;

	for (i = -12; i < 64; i++)
		check_around(ldexp(1, i));
	for (i = -6; i <= 18; i++) {
		snprintf(power, sizeof(power), "1e%d", i);
		check_around(strtod(power, NULL));
		check_around(strtod(power, NULL) / 3);
	}
	check_exact(0);
	check_exact(-0.0);
}

Test(report_number, exact_ones_are_those_of_printf_for_any_bits)
{
	const int tries = quick_or_all(10000, 100000);
	int i;

	for (i = 0; i < tries; i++) {
		const uint64_t bits = random_bits();
		double any;

		memcpy(&any, &bits, sizeof(any));
		if (isfinite(any))
			check_exact(any);
		check_exact(ldexp((double)(bits >> 11), -(i % 64)));
		check_exact((double)(bits % 1000000000) / 1000);
		check_exact((double)(bits >> i % 64));
	}
}

Test(report_number, integers_have_all_their_digits)
{
	cr_assert_eq(selfmon_number_integer(text, 0), 1);
	cr_assert_str_eq(text, "0");
	cr_assert_eq(selfmon_number_integer(text, UINT64_MAX), 20);
	cr_assert_str_eq(text, "18446744073709551615");
}
