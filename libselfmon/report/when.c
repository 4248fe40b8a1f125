/* SPDX-License-Identifier: MIT */
/*
 * When: a moment as text.
 *
 * gmtime_r(3) and strftime(3) take the C library's lock of time zones, which
 * a forked child finds held for ever if another thread was in there at the
 * fork (glibc time/tzset.c, tzset_lock: fork(2) does not give it back).
 */
#include "report/when.h"

#include <stdbool.h>
#include <stdio.h>

#define SECONDS_A_DAY 86400u
#define YEAR_FIRST 1970u
#define YEAR_LAST 9999u

static bool is_leap(unsigned int year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static unsigned int days_of_year(unsigned int year)
{
	return is_leap(year) ? 366 : 365;
}

static unsigned int days_of_month(unsigned int year, unsigned int month)
{
	static const unsigned char days[] = { 31, 28, 31, 30, 31, 30,
					      31, 31, 30, 31, 30, 31 };

	return month == 1 && is_leap(year) ? 29 : days[month];
}

void selfmon_when_write(char *to, size_t size, uint64_t seconds)
{
	unsigned int second = (unsigned int)(seconds % SECONDS_A_DAY);
	unsigned int year = YEAR_FIRST, month = 0;
	uint64_t days = seconds / SECONDS_A_DAY;

	for (; year <= YEAR_LAST && days >= days_of_year(year); year++)
		days -= days_of_year(year);
	if (year > YEAR_LAST) {
		snprintf(to, size, "unknown time");
		return;
	}
	for (; days >= days_of_month(year, month); month++)
		days -= days_of_month(year, month);
	snprintf(to, size, "%04u-%02u-%02uT%02u:%02u:%02uZ", year, month + 1,
		 (unsigned int)days + 1, second / 3600, second / 60 % 60,
		 second % 60);
}
