/* SPDX-License-Identifier: MIT */
/*
 * Formats a double with the fewest digits (15, 16 or 17) that read back as the
 * same double. The result is the same as from trying printf(3) with 15, then
 * 16, then 17 digits, until strtod(3) returns the double. Calling these
 * functions would be slow: a report of 10,000 rows has 300,000 doubles.
 */
#include "report/number_exact.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/number.h"

#define SIZE SELFMON_NUMBER_SIZE
#define DIGITS_LEAST 15
#define DIGITS_MOST 17

/* The last bit of a double of at least this value is worth at least 2^-60. */
#define VALUE_LEAST 0x1p-8
/* Below this value %.15g does not use an exponent. */
#define VALUE_LIMIT 1e15
/*
 * Fractions are stored in units of 2^-60, so that ten times a fraction fits
 * into 64 bits.
 */
#define FRACTION_BITS 60
#define FRACTION_ONE (UINT64_C(1) << FRACTION_BITS)

size_t selfmon_number_integer(char *text, uint64_t value)
{
	char digit[SIZE];
	size_t at = sizeof(digit), length;

	do {
		digit[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	length = sizeof(digit) - at;
	memcpy(text, digit + at, length);
	text[length] = '\0';
	return length;
}

/* A number that is being written: the digits so far, and the rest. */
struct decimal {
	char *text;
	size_t length;
	unsigned int digits; /* significant digits */
	/*
	 * The part not yet written; FRACTION_ONE is 1 in the last written digit.
	 */
	uint64_t rest;
	uint64_t half_ulp;   /* in units of 2^-61 of the last digit */
	bool wide;	     /* half_ulp exceeds every possible rest */
};

static void add_digit(struct decimal *decimal)
{
	const uint64_t tenfold = decimal->rest * 10;
	const unsigned int digit = (unsigned int)(tenfold >> FRACTION_BITS);

	decimal->rest = tenfold & (FRACTION_ONE - 1);
	decimal->wide |= __builtin_mul_overflow(decimal->half_ulp, 10,
						&decimal->half_ulp);
	decimal->text[decimal->length++] = (char)('0' + digit);
	decimal->digits += digit || decimal->digits;
}

/*
 * Increments the last digit. Trailing nines become zeros, and the digit before
 * them is incremented.
 */
static void round_up(struct decimal *decimal)
{
	size_t at = decimal->length;

	while (at-- > 0) {
		if (decimal->text[at] == '.')
			continue;
		if (decimal->text[at] != '9') {
			decimal->text[at]++;
			return;
		}
		decimal->text[at] = '0';
	}
	memmove(decimal->text + 1, decimal->text, decimal->length++);
	decimal->text[0] = '1';
}

static void end_decimal(struct decimal *decimal)
{
	size_t length;

	if (decimal->rest > FRACTION_ONE / 2)
		round_up(decimal);
	length = decimal->length;
	while (decimal->text[length - 1] == '0')
		length--;
	if (decimal->text[length - 1] == '.')
		length--;
	decimal->text[length] = '\0';
}

/*
 * Whether the digits so far, after rounding, read back as the same double.
 * NEAR: yes, the distance is less than half a step between doubles. FAR: no.
 * TIE: the distance is exactly half a step, or the digits can be rounded up or
 * down equally well. printf(3) then decides.
 */
enum nearness { NEAR, FAR, TIE };

static enum nearness nearness_of(const struct decimal *decimal)
{
	const uint64_t up = FRACTION_ONE - decimal->rest;
	const uint64_t off = 2 * (decimal->rest < up ? decimal->rest : up);

	if (decimal->rest == up || (!decimal->wide && off == decimal->half_ulp))
		return TIE;
	return decimal->wide || off < decimal->half_ulp ? NEAR : FAR;
}

/*
 * Writes a number from VALUE_LEAST to VALUE_LIMIT. Returns false if the caller
 * must use printf(3) instead.
 */
static bool write_decimal(char *text, double value)
{
	const uint64_t whole = (uint64_t)value;
	const double fraction = value - (double)whole; /* exact */
	struct decimal decimal = { .text = text };
	enum nearness nearness = FAR;
	int exponent;

	/*
	 * Powers of two are not handled: the distance to the next lower double
	 * is only half as large as that to the next higher one.
	 */
	if (frexp(value, &exponent) <= 0.5)
		return false;
	decimal.rest = (uint64_t)(fraction * 0x1p60);
	decimal.half_ulp = UINT64_C(1) << (exponent + 7);
	decimal.length = selfmon_number_integer(text, whole);
	decimal.digits = whole ? (unsigned int)decimal.length : 0;
	text[decimal.length++] = '.';
	while (nearness == FAR && decimal.digits < DIGITS_MOST) {
		add_digit(&decimal);
		if (decimal.digits >= DIGITS_LEAST)
			nearness = nearness_of(&decimal);
	}
	if (nearness != NEAR)
		return false;
	end_decimal(&decimal);
	return true;
}

/*
 * Writes the value if it is an integer; otherwise returns false. printf(3)
 * would also write all digits, since the value is below VALUE_LIMIT.
 */
static bool write_integer(char *text, double value)
{
	const uint64_t whole = (uint64_t)value;

	if ((double)whole < value)
		return false;
	selfmon_number_integer(text, whole);
	return true;
}

static void write_any(char *text, double value)
{
	int digits;

	for (digits = DIGITS_LEAST; digits <= DIGITS_MOST; digits++) {
		double back;

		snprintf(text, SIZE, "%.*g", digits, value);
		back = strtod(text, NULL);
		if (back >= value && back <= value)
			break;
	}
	selfmon_number_point(text);
}

void selfmon_number_exact(char *text, double value)
{
	const double size = fabs(value);

	if (!isfinite(value)) {
		memcpy(text, "null", sizeof("null"));
		return;
	}
	if (size < VALUE_LIMIT && !signbit(value) && write_integer(text, value))
		return;
	*text = '-';
	if (size < VALUE_LEAST || size >= VALUE_LIMIT ||
	    !write_decimal(text + signbit(value), size))
		write_any(text, value);
}
