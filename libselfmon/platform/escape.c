/* SPDX-License-Identifier: MIT */
#include "platform/escape.h"

#include <string.h>

#include <selfmon/error.h>

struct range {
	uint32_t first, last;
};

/* Ranges of characters that are dangerous (see escape.h). */
static const struct range hidden[] = {
	{ 0x0000, 0x001f }, { 0x007f, 0x009f }, { 0x00ad, 0x00ad },
	{ 0x0300, 0x036f }, { 0x0483, 0x0489 }, { 0x0591, 0x05bd },
	{ 0x0610, 0x061c }, { 0x064b, 0x065f }, { 0x115f, 0x1160 },
	{ 0x17b4, 0x17b5 }, { 0x180b, 0x180f }, { 0x1ab0, 0x1aff },
	{ 0x1dc0, 0x1dff }, { 0x200b, 0x200f }, { 0x2028, 0x202e },
	{ 0x2060, 0x206f }, { 0x20d0, 0x20ff }, { 0x3164, 0x3164 },
	{ 0xe000, 0xf8ff }, { 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f },
	{ 0xfeff, 0xfeff }, { 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb },
	{ 0xfffe, 0xffff }, { 0x1d173, 0x1d17a }, { 0x1f3fb, 0x1f3ff },
	{ 0xe0000, 0x10ffff },
};

/* Ranges of characters that take two columns: Unicode, EastAsianWidth.txt. */
static const struct range wide_blocks[] = {
	{ 0x1100, 0x115f }, { 0x2e80, 0x303e }, { 0x3041, 0xa4cf },
	{ 0xa960, 0xa97f }, { 0xac00, 0xd7a3 }, { 0xf900, 0xfaff },
	{ 0xfe30, 0xfe6f }, { 0xff01, 0xff60 }, { 0xffe0, 0xffe6 },
	{ 0x1f300, 0x1f64f }, { 0x1f680, 0x1f6ff }, { 0x1f900, 0x1f9ff },
	{ 0x20000, 0x3fffd },
};

static bool is_in(const struct range *range, size_t ranges, uint32_t code)
{
	size_t i;

	for (i = 0; i < ranges; i++)
		if (code >= range[i].first && code <= range[i].last)
			return true;
	return false;
}

#define IS_IN(ranges, code)                                                    \
	is_in(ranges, sizeof(ranges) / sizeof((ranges)[0]), code)

/*
 * Accepts only sequences of table 3-7 of the Unicode standard: the shortest
 * encoding of each code point, and no surrogates.
 */
size_t selfmon_utf8_decode(const char *s, uint32_t *code)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char first = (unsigned char)s[0];
	size_t length, i;

	if (first < 0x80) {
		*code = first;
		return 1;
	}
	if (first < 0xc2 || first > 0xf4)
		return 0;
	length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
	*code = first & (0x7fu >> length);
	for (i = 1; i < length; i++) {
		if (((unsigned char)s[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | ((unsigned char)s[i] & 0x3f);
	}
	if (*code < least[length] || *code > 0x10ffff ||
	    (*code >= 0xd800 && *code <= 0xdfff))
		return 0;
	return length;
}

bool selfmon_utf8_valid(const char *s)
{
	uint32_t code;
	size_t length;

	for (; *s; s += length) {
		length = selfmon_utf8_decode(s, &code);
		if (!length)
			return false;
	}
	return true;
}

static const char hex_digit[] = "0123456789ABCDEF";

static void unit_add(struct selfmon_glyph *unit, const char *bytes, size_t n)
{
	memcpy(unit->text + unit->bytes, bytes, n);
	unit->bytes += (unsigned int)n;
}

static void unit_add_hex(struct selfmon_glyph *unit, const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		const unsigned char byte = (unsigned char)s[i];
		const char hex[] = { '\\', 'x', hex_digit[byte >> 4],
				     hex_digit[byte & 15] };

		unit_add(unit, hex, sizeof(hex));
	}
}

static void unit_add_utf16(struct selfmon_glyph *unit, uint32_t code)
{
	const char hex[] = { '\\', 'u',
			     hex_digit[code >> 12 & 15],
			     hex_digit[code >> 8 & 15],
			     hex_digit[code >> 4 & 15],
			     hex_digit[code & 15] };

	unit_add(unit, hex, sizeof(hex));
}

/*
 * Escapes a dangerous character of n bytes at s. n is 0 for a byte that is not
 * UTF-8.
 */
static void unit_hide(enum selfmon_for what, struct selfmon_glyph *unit,
		      const char *s, size_t n, uint32_t code)
{
	if (what != SELFMON_FOR_JSON) {
		unit_add_hex(unit, s, n ? n : 1);
	} else if (!n) {
		unit_add(unit, "\xef\xbf\xbd", 3);
	} else if (code < 0x10000) {
		unit_add_utf16(unit, code);
	} else {
		unit_add_utf16(unit, 0xd800 + ((code - 0x10000) >> 10));
		unit_add_utf16(unit, 0xdc00 + ((code - 0x10000) & 0x3ff));
	}
}

bool selfmon_glyph_next(enum selfmon_for what, const char **at,
			struct selfmon_glyph *unit)
{
	const char *const s = *at;
	uint32_t code = 0;
	size_t n;

	if (!*s)
		return false;
	n = selfmon_utf8_decode(s, &code);
	*at = s + (n ? n : 1);
	unit->bytes = 0;
	if (!n || IS_IN(hidden, code)) {
		unit_hide(what, unit, s, n, code);
		unit->columns = unit->bytes;
		return true;
	}
	if (what == SELFMON_FOR_JSON && (code == '"' || code == '\\'))
		unit_add(unit, "\\", 1);
	if (what == SELFMON_FOR_CSV && (code == '"' || code == '\\'))
		unit_add(unit, s, 1);
	unit_add(unit, s, n);
	unit->columns = IS_IN(wide_blocks, code) ? 2 : 1;
	return true;
}

size_t selfmon_columns_of(const char *s)
{
	struct selfmon_glyph unit;
	size_t columns = 0;

	while (selfmon_glyph_next(SELFMON_FOR_TEXT, &s, &unit))
		columns += unit.columns;
	return columns;
}

size_t selfmon_escape(enum selfmon_for what, char *to, size_t size,
		      const char *from)
{
	struct selfmon_glyph unit;
	size_t length = 0;

	while (selfmon_glyph_next(what, &from, &unit) &&
	       length + unit.bytes < size) {
		memcpy(to + length, unit.text, unit.bytes);
		length += unit.bytes;
	}
	to[length] = '\0';
	return length;
}

size_t selfmon_impl_escape_text(char *to, size_t size, const char *from)
{
	return selfmon_escape(SELFMON_FOR_TEXT, to, size, from);
}

size_t selfmon_impl_escape_json(char *to, size_t size, const char *from)
{
	return selfmon_escape(SELFMON_FOR_JSON, to, size, from);
}

/*
 * Returns true for ASCII characters that no format escapes. They are most of
 * the output.
 */
static bool is_plain_ascii(char c)
{
	return c >= ' ' && c <= '~' && c != '"' && c != '\\';
}

void selfmon_output_units(FILE *stream, enum selfmon_for what, const char *s)
{
	struct selfmon_glyph unit;
	size_t plain;

	for (;;) {
		for (plain = 0; is_plain_ascii(s[plain]); plain++)
			;
		if (plain)
			fwrite(s, 1, plain, stream);
		s += plain;
		if (!selfmon_glyph_next(what, &s, &unit))
			return;
		fwrite(unit.text, 1, unit.bytes, stream);
	}
}

void selfmon_output_text(FILE *stream, const char *s)
{
	selfmon_output_units(stream, SELFMON_FOR_TEXT, s);
}

void selfmon_output_json(FILE *stream, const char *s)
{
	putc('"', stream);
	selfmon_output_units(stream, SELFMON_FOR_JSON, s);
	putc('"', stream);
}

void selfmon_output_csv_open(FILE *stream, const char *first)
{
	putc('"', stream);
	if (*first && strchr("=+-@'", *first))
		putc('\'', stream);
}

void selfmon_output_csv(FILE *stream, const char *s)
{
	selfmon_output_csv_open(stream, s);
	selfmon_output_units(stream, SELFMON_FOR_CSV, s);
	putc('"', stream);
}
