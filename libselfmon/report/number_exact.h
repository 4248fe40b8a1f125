/* SPDX-License-Identifier: MIT */
/* Writes numbers so that reading them back gives the same value. */
#ifndef SELFMON_REPORT_NUMBER_EXACT_H
#define SELFMON_REPORT_NUMBER_EXACT_H

#include <stddef.h>
#include <stdint.h>

/* Writes an integer. Returns the number of digits. */
size_t selfmon_number_integer(char *text, uint64_t value);
/*
 * Writes as many digits as are needed to read back the same double, or "null"
 * if it is not finite.
 */
void selfmon_number_exact(char *text, double value);

#endif
