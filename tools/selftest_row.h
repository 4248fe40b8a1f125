/* SPDX-License-Identifier: MIT */
/* Functions with which a check fills in its row. */
#ifndef SELFMON_TOOLS_SELFTEST_ROW_H
#define SELFMON_TOOLS_SELFTEST_ROW_H

#include "selftest.h"

void selftest_figure(struct selftest_row *row, const char *name,
		     const char *unit, double value);

/* Fails the row, because a value is outside of the range from least to most. */
void selftest_differs(struct selftest_row *row, double least, double most,
		      double seen, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/*
 * Set the status to SELFTEST_ABSENT or SELFTEST_BUSY, with the reason. Change
 * nothing if the status is no longer SELFTEST_PASS.
 */
void selftest_absent(struct selftest_row *row, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void selftest_busy(struct selftest_row *row, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Returns "pass", "fail" or "not applicable". */
const char *selftest_status_name(enum selftest_status status);

#endif
