/* SPDX-License-Identifier: MIT */
/* Writes a moment in UTC as text. */
#ifndef SELFMON_REPORT_UTC_H
#define SELFMON_REPORT_UTC_H

#include <stddef.h>
#include <stdint.h>

/*
 * Writes seconds since 1970 in UTC as ISO 8601; "unknown time" after the year
 * 9999.
 */
void selfmon_utc_write(char *to, size_t size, uint64_t seconds);

#endif
