/* SPDX-License-Identifier: MIT */
/* Parses SELFMON_TRACE. The file name may contain commas. */
#include "store/trace_spec.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers have at most nine digits after the point. */
#define FRACTION_ONE UINT64_C(1000000000)

/*
 * Returns 0 if the text is not a size, or if the size is not from least to
 * most.
 */
static uint64_t parse_size(const char *text, size_t length, uint64_t least,
			   uint64_t most)
{
	char *end;
	unsigned long long n;
	unsigned int shift = 0;

	if (*text < '0' || *text > '9')
		return 0;
	n = strtoull(text, &end, 10);
	switch (end < text + length ? *end : '\0') {
	case 'k': case 'K': shift = 10; break;
	case 'm': case 'M': shift = 20; break;
	case 'g': case 'G': shift = 30; break;
	}
	if (end + !!shift != text + length || n > most >> shift ||
	    n << shift < least)
		return 0;
	return n << shift;
}

/*
 * Parses a number such as 16 or 16.6 into billionths. Returns its length, or 0
 * if the text does not begin with a number or the number is too large.
 */
static size_t parse_decimal(const char *text, size_t length, uint64_t *billionths)
{
	uint64_t unit = FRACTION_ONE;
	bool point = false, digits = false;
	size_t i;

	*billionths = 0;
	for (i = 0; i < length; i++) {
		if (text[i] == '.' && digits && !point) {
			point = true;
			continue;
		}
		if (text[i] < '0' || text[i] > '9')
			break;
		digits = true;
		if (point && unit == 1)
			return 0;
		if (point)
			unit /= 10;
		else
			*billionths *= 10;
		*billionths += (uint64_t)(text[i] - '0') * unit;
		if (*billionths > UINT64_MAX / 20)
			return 0;
	}
	return digits && text[i - 1] != '.' ? i : 0;
}

static bool parse_time(const char *text, size_t length, uint64_t *ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} unit[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 },
		     { "s", 1000000000 } };
	uint64_t billionths;
	const size_t n = parse_decimal(text, length, &billionths);
	size_t i;

	for (i = 0; n && i < sizeof(unit) / sizeof(unit[0]); i++) {
		if (length - n != strlen(unit[i].name) ||
		    memcmp(text + n, unit[i].name, length - n) != 0)
			continue;
		*ns = billionths / (FRACTION_ONE / unit[i].ns);
		return billionths / FRACTION_ONE <= SELFMON_TRACE_LONGER_MAX &&
		       *ns >= SELFMON_TRACE_LONGER_MIN &&
		       *ns <= SELFMON_TRACE_LONGER_MAX;
	}
	return false;
}

/* Parses p50 to p99.9999. */
static bool parse_quantile(const char *text, size_t length, uint32_t *above_ppm)
{
	uint64_t billionths;

	if (*text != 'p' ||
	    parse_decimal(text + 1, length - 1, &billionths) != length - 1)
		return false;
	*above_ppm = 0;
	if (billionths >= 50 * FRACTION_ONE && billionths < 100 * FRACTION_ONE)
		*above_ppm = (uint32_t)((100 * FRACTION_ONE - billionths) /
					(FRACTION_ONE / 10000));
	return *above_ppm > 0;
}

/* On failure returns false, and writes to `why` what is wrong. */
static bool take_trace_option(const char *option, size_t length,
			      struct selfmon_trace_spec *spec, char *why,
			      size_t size)
{
	const char *const value = strchr(option, '=') + 1;
	const size_t n = length - (size_t)(value - option);
	const char *allowed;

	switch (*option) {
	case 'r':
		spec->ring = (size_t)parse_size(value, n, SELFMON_TRACE_RING_MIN,
						SELFMON_TRACE_RING_MAX);
		if (spec->ring)
			return true;
		allowed = "64k to 1g are allowed, such as 16m";
		break;
	case 's':
		spec->size = parse_size(value, n, SELFMON_TRACE_SIZE_MIN,
					SELFMON_TRACE_SIZE_MAX);
		if (spec->size)
			return true;
		allowed = "1m to 1024g are allowed, such as 4g";
		break;
	default:
		if (parse_time(value, n, &spec->longer_ns) ||
		    parse_quantile(value, n, &spec->above_ppm))
			return true;
		allowed = "a time of 100ns to 100s, such as 16ms, or p50 to "
			  "p99.9999 are allowed";
		break;
	}
	snprintf(why, size, "%.*s: %s", (int)length, option, allowed);
	return false;
}

/* Returns the next comma that begins an option, or the text's end. */
static const char *next_option(const char *text)
{
	static const char *const name[] = { ",ring=", ",longer=", ",size=",
					    ",regions=" };
	size_t i;

	for (; *text; text++)
		for (i = 0; *text == ',' && i < sizeof(name) / sizeof(name[0]);
		     i++)
			if (!strncmp(text, name[i], strlen(name[i])))
				return text;
	return text;
}

static size_t power_of_two(size_t n)
{
	size_t power = SELFMON_TRACE_RING_MIN;

	while (power < n)
		power *= 2;
	return power;
}

int selfmon_trace_spec_parse(const char *text, struct selfmon_trace_spec *spec,
			     char *why, size_t size)
{
	const char *option = next_option(text), *end;

	*spec = (struct selfmon_trace_spec){
		.file_length = (size_t)(option - text),
		.ring = SELFMON_TRACE_RING,
	};
	if (!spec->file_length) {
		snprintf(why, size, "a file is missing before the options");
		return -EINVAL;
	}
	for (; *option; option = end) {
		if (!strncmp(option, ",regions=", strlen(",regions="))) {
			spec->regions = option + strlen(",regions=");
			break;
		}
		end = next_option(option + 1);
		if (!take_trace_option(option + 1, (size_t)(end - option) - 1,
				       spec, why, size))
			return -EINVAL;
	}
	spec->ring = power_of_two(spec->ring);
	if (spec->size && !spec->longer_ns && !spec->above_ppm) {
		snprintf(why, size, "size= needs longer=, such as longer=16ms");
		return -EINVAL;
	}
	if (!spec->size)
		spec->size = SELFMON_TRACE_SIZE;
	return 0;
}
