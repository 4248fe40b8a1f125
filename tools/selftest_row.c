/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "selftest_row.h"

#include <stdarg.h>

void selftest_figure(struct selftest_row *row, const char *name,
		     const char *unit, double value)
{
	if (row->figures < SELFTEST_FIGURES)
		row->figure[row->figures++] =
			(struct selftest_figure){ name, unit, value };
}

void selftest_differs(struct selftest_row *row, double least, double most,
		      double seen, const char *format, ...)
{
	struct selftest_difference *to;
	va_list values;

	row->status = SELFTEST_FAIL;
	if (row->differences++ >= SELFTEST_DIFFERENCES)
		return;
	to = &row->difference[row->differences - 1];
	to->least = least;
	to->most = most;
	to->seen = seen;
	va_start(values, format);
	vsnprintf(to->what, sizeof(to->what), format, values);
	va_end(values);
}

static void give_up(struct selftest_row *row, enum selftest_status status,
		    const char *format, va_list values)
{
	char text[256];

	if (row->status != SELFTEST_PASS)
		return;
	row->status = status;
	vsnprintf(text, sizeof(text), format, values);
	selftest_say(&row->reason, "%s", text);
}

void selftest_absent(struct selftest_row *row, const char *format, ...)
{
	va_list values;

	va_start(values, format);
	give_up(row, SELFTEST_ABSENT, format, values);
	va_end(values);
}

void selftest_busy(struct selftest_row *row, const char *format, ...)
{
	va_list values;

	va_start(values, format);
	give_up(row, SELFTEST_BUSY, format, values);
	va_end(values);
}

const char *selftest_status_name(enum selftest_status status)
{
	static const char *const names[] = {
		[SELFTEST_PASS] = "pass",
		[SELFTEST_FAIL] = "fail",
		[SELFTEST_ABSENT] = "not applicable",
		[SELFTEST_BUSY] = "not applicable",
	};

	return names[status];
}
