/* SPDX-License-Identifier: MIT */
/* Numbers as text: short, rounded once, and never wider than their column. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "report/number.h"

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
