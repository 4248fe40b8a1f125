/* SPDX-License-Identifier: MIT */
#include "report/number.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define SIZE SELFMON_NUMBER_SIZE

void selfmon_number_point(char *text)
{
	char *const start = text;
	char *to = text;

	for (; *text; text++) {
		if (strchr("+-0123456789eE>% knumsMGTPEdy", *text))
			*to++ = *text;
		else if (to == start || to[-1] != '.')
			*to++ = '.';
	}
	*to = '\0';
}

/*
 * The most by which rounding can increase a number with 0, 1, 2 or 3 decimals:
 * half a unit of the last digit.
 */
static const double half[] = { 0.5, 0.05, 0.005, 0.0005 };

/*
 * Returns the number of decimals with which a number below 1000 has `digits`
 * digits (3 or 4).
 */
static unsigned int decimals_of(double value, unsigned int digits)
{
	double limit = 10;
	unsigned int decimals;

	for (decimals = digits - 1; decimals > 0; decimals--) {
		if (value < limit - half[decimals])
			break;
		limit *= 10;
	}
	return decimals;
}

static void print(char *text, double value, unsigned int decimals,
		  const char *unit)
{
	snprintf(text, SIZE, "%.*f%s", (int)decimals, value, unit);
	selfmon_number_point(text);
}

/* Writes a number of at least 100,000 with four digits and a prefix. */
static void print_prefixed(char *text, double value)
{
	static const char prefix[] = "kMGTPE";
	size_t i = 0;
	char unit[] = " k";

	for (value /= 1e3; value >= 999.95 && prefix[i + 1]; i++)
		value /= 1e3;
	unit[1] = prefix[i];
	if (value >= 999.95)
		snprintf(text, SIZE, ">999 E");
	else
		print(text, value, decimals_of(value, 4), unit);
}

void selfmon_number_count(char *text, double value)
{
	if (!isfinite(value) || value < 0)
		snprintf(text, SIZE, "-");
	else if (value < 99999.5)
		print(text, value, 0, "");
	else
		print_prefixed(text, value);
}

void selfmon_number_visits(char *text, uint64_t value)
{
	if (value < 10000000)
		snprintf(text, SIZE, "%" PRIu64, value);
	else
		print_prefixed(text, (double)value);
}

void selfmon_number_time(char *text, double ns, unsigned int digits)
{
	static const struct {
		double ns, below; /* limit of the unit */
		const char *name;
	} unit[] = {
		{ 1, 1e3, " ns" },      { 1e3, 1e3, " us" },
		{ 1e6, 1e3, " ms" },    { 1e9, 99999, " s" },
		{ 864e11, 999, " d" },  { 365.25 * 864e11, 999, " y" },
	};
	size_t i;

	if (!isfinite(ns) || ns < 0) {
		snprintf(text, SIZE, "-");
		return;
	}
	for (i = 0; i < sizeof(unit) / sizeof(unit[0]); i++) {
		const double value = ns / unit[i].ns;
		const unsigned int decimals = decimals_of(value, digits);

		/*
		 * A value that rounding would raise to the limit is written in
		 * the next unit.
		 */
		if (value < unit[i].below - half[decimals]) {
			print(text, value, value > 0 ? decimals : 0,
			      unit[i].name);
			return;
		}
	}
	snprintf(text, SIZE, ">999 y");
}

void selfmon_number_share(char *text, double share)
{
	if (!isfinite(share) || share < 0)
		snprintf(text, SIZE, "-");
	else if (share >= 9.995)
		snprintf(text, SIZE, ">999%%");
	else
		print(text, share * 100, share < 0.9995, "%");
}

void selfmon_number_ratio(char *text, double value)
{
	if (!isfinite(value) || value < 0)
		snprintf(text, SIZE, "-");
	else if (value < 9999.5)
		print(text, value, decimals_of(value, 3), "");
	else
		snprintf(text, SIZE, ">9999");
}
