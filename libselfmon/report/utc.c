/* SPDX-License-Identifier: MIT */
/*
 * Formats UTC without gmtime_r(3) and strftime(3), which take the C library's
 * time zone lock. If another thread holds this lock during fork(2), it stays
 * locked in the child for ever (glibc time/tzset.c, tzset_lock).
 */
#include "report/utc.h"

#include <stdio.h>

#define SECONDS_PER_DAY 86400u
#define YEAR_LAST 9999u
/*
 * Days from 0000-03-01 to 1970-01-01. Years start in March here, so that the
 * leap day is the last day of the year.
 */
#define DAYS_BEFORE_1970 719468u
#define DAYS_PER_ERA 146097u /* 400 years */

struct date {
	uint64_t year;
	unsigned int month, day;
};

/*
 * Algorithm civil_from_days of H. Hinnant, "chrono-compatible low-level date
 * algorithms".
 */
static struct date civil_from_days(uint64_t days)
{
	const uint64_t since = days + DAYS_BEFORE_1970;
	const unsigned int of_era = (unsigned int)(since % DAYS_PER_ERA);
	const unsigned int year = (of_era - of_era / 1460 + of_era / 36524 -
				   of_era / 146096) / 365;
	const unsigned int of_year =
		of_era - (365 * year + year / 4 - year / 100);
	const unsigned int month = (5 * of_year + 2) / 153; /* 0: March */

	return (struct date){
		.year = year + 400 * (since / DAYS_PER_ERA) + (month >= 10),
		.month = month < 10 ? month + 3 : month - 9,
		.day = of_year - (153 * month + 2) / 5 + 1,
	};
}

void selfmon_utc_write(char *to, size_t size, uint64_t seconds)
{
	const struct date date = civil_from_days(seconds / SECONDS_PER_DAY);
	const unsigned int second = (unsigned int)(seconds % SECONDS_PER_DAY);

	if (date.year > YEAR_LAST)
		snprintf(to, size, "unknown time");
	else
		snprintf(to, size, "%04u-%02u-%02uT%02u:%02u:%02uZ",
			 (unsigned int)date.year, date.month, date.day,
			 second / 3600, second / 60 % 60, second % 60);
}
