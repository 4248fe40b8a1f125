/* SPDX-License-Identifier: MIT */
/*
 * Formats numbers with a decimal point, whatever the locale. All but the last
 * three functions write at most 8 columns of ASCII.
 */
#ifndef SELFMON_REPORT_NUMBER_H
#define SELFMON_REPORT_NUMBER_H

#include <stdint.h>
#include <stdio.h>

#define SELFMON_NUMBER_SIZE 32

/* "0", "99999", "123.5 k", "18.45 E"; "-" if not finite or negative. */
void selfmon_number_count(char *text, double value);
/* The same, but exact up to 7 digits. */
void selfmon_number_visits(char *text, uint64_t value);
/* "12.3 ns", "1.234 ms", "584.5 y", with 3 or 4 digits. */
void selfmon_number_time(char *text, double ns, unsigned int digits);
/* "12.3%", "100%", ">999%"; a share of 1 is 100 %. */
void selfmon_number_share(char *text, double share);
/* "0.12", "12.3", "1234", ">9999". */
void selfmon_number_ratio(char *text, double value);
/*
 * Replaces the locale's decimal point, which may be several bytes long, in
 * place.
 */
void selfmon_number_point(char *text);

#endif
