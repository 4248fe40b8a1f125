/* SPDX-License-Identifier: MIT */
/*
 * Numbers as text, whatever the host's locale: a decimal point is a point.
 * All but the last three give at most 8 columns of ASCII.
 */
#ifndef SELFMON_REPORT_NUMBER_H
#define SELFMON_REPORT_NUMBER_H

#include <stdint.h>
#include <stdio.h>

#define SELFMON_NUMBER_SIZE 32

/* "0", "99999", "123.5 k", "18.45 E"; not finite or negative: "-". */
void selfmon_number_count(char *text, double value);
/* The same, but exact up to 7 digits. */
void selfmon_number_visits(char *text, uint64_t value);
/* "12.3 ns", "1.234 ms", "584.5 y", with 3 or 4 digits. */
void selfmon_number_time(char *text, double ns, unsigned int digits);
/* "12.3%", "100%", ">999%"; of a share: 1 is 100 %. */
void selfmon_number_share(char *text, double share);
/* "0.12", "12.3", "1234", ">9999". */
void selfmon_number_ratio(char *text, double value);
/* All digits, without a sign. Returns how many. */
size_t selfmon_number_integer(char *text, uint64_t value);
/* Enough digits to be read back the same; "null" if it is not finite. */
void selfmon_number_exact(char *text, double value);
/* The locale's decimal point, of any bytes, becomes a point. In place. */
void selfmon_number_point(char *text);

#endif
