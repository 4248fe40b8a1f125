/* SPDX-License-Identifier: MIT */
/*
 * Formats numbers with a decimal point in all locales. All functions but
 * selfmon_number_point() write at most 8 columns of ASCII.
 */
#ifndef SELFMON_REPORT_NUMBER_H
#define SELFMON_REPORT_NUMBER_H

#include <stdint.h>
#include <stdio.h>

#define SELFMON_NUMBER_SIZE 32

/*
 * Writes a count: "0", "99999", "123.5 k", "18.45 E"; "-" if it is negative,
 * infinite or NaN.
 */
void selfmon_number_count(char *text, double value);
/* Like selfmon_number_count(), but writes up to 7 digits exactly. */
void selfmon_number_visits(char *text, uint64_t value);
/* Writes a time with 3 or 4 digits: "12.3 ns", "1.234 ms", "584.5 y". */
void selfmon_number_time(char *text, double ns, unsigned int digits);
/* Writes a share in percent: "12.3%", "100%", ">999%". 1 is 100 %. */
void selfmon_number_share(char *text, double share);
/* Writes a ratio: "0.12", "12.3", "1234", ">9999". */
void selfmon_number_ratio(char *text, double value);
/*
 * Replaces the locale's decimal point in the text, which may be several bytes
 * long, by a dot.
 */
void selfmon_number_point(char *text);

#endif
