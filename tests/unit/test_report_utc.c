/* SPDX-License-Identifier: MIT */
/* Compares times as text with those of the C library. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "report/utc.h"

#define LAST INT64_C(253402300799) /* 9999-12-31T23:59:59Z */

static void compare(int64_t seconds)
{
	const time_t moment = (time_t)seconds;
	char ours[32], theirs[32];
	struct tm utc;

	cr_assert_not_null(gmtime_r(&moment, &utc));
	strftime(theirs, sizeof(theirs), "%Y-%m-%dT%H:%M:%SZ", &utc);
	selfmon_utc_write(ours, sizeof(ours), (uint64_t)seconds);
	cr_assert_str_eq(ours, theirs);
}

Test(report_utc, is_what_the_c_library_says)
{
	int64_t seconds;

	compare(0);
	compare(951782399);   /* 2000-02-28T23:59:59Z */
	compare(951868800);   /* 2000-03-01 */
	compare(4107542400);  /* 2100-03-01: no leap year */
	compare(LAST);
	for (seconds = 1; seconds < LAST; seconds += 86400 * 97 + 12345)
		compare(seconds);
}

Test(report_utc, is_not_told_beyond_the_year_9999)
{
	char text[32];

	selfmon_utc_write(text, sizeof(text), (uint64_t)LAST + 1);
	cr_assert_str_eq(text, "unknown time");
	selfmon_utc_write(text, sizeof(text), UINT64_MAX);
	cr_assert_str_eq(text, "unknown time");
}
