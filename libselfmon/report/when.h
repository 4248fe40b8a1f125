/* SPDX-License-Identifier: MIT */
/* When: a moment as text. */
#ifndef SELFMON_REPORT_WHEN_H
#define SELFMON_REPORT_WHEN_H

#include <stddef.h>
#include <stdint.h>

/* Seconds since 1970 in UTC, by ISO 8601; beyond 9999 "unknown time". */
void selfmon_when_write(char *to, size_t size, uint64_t seconds);

#endif
