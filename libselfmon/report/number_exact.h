/* SPDX-License-Identifier: MIT */
/* Numbers with all their digits. */
#ifndef SELFMON_REPORT_NUMBER_EXACT_H
#define SELFMON_REPORT_NUMBER_EXACT_H

#include <stddef.h>
#include <stdint.h>

/* Writes all digits, without a sign. Returns their number. */
size_t selfmon_number_integer(char *text, uint64_t value);
/*
 * Writes enough digits to read back the same double; "null" if it is not
 * finite.
 */
void selfmon_number_exact(char *text, double value);

#endif
