/* SPDX-License-Identifier: MIT */
/* Names of any bytes, made fit to be written: for a terminal, JSON and CSV. */
#include "report/escape.h"

#include <string.h>

struct range {
	uint32_t first, last;
};

/* No columns of their own, or none that could be told: blocks of Unicode. */
static const struct range hidden[] = {
	{ 0x0000, 0x001f }, { 0x007f, 0x009f }, { 0x00ad, 0x00ad },
	{ 0x0300, 0x036f }, { 0x0483, 0x0489 }, { 0x0591, 0x05bd },
	{ 0x0610, 0x061c }, { 0x064b, 0x065f }, { 0x180b, 0x180f },
	{ 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff }, { 0x200b, 0x200f },
	{ 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0x20d0, 0x20ff },
	{ 0xe000, 0xf8ff }, { 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f },
	{ 0xfeff, 0xfeff }, { 0xfff0, 0xfffb }, { 0xfffe, 0xffff },
	{ 0x1f3fb, 0x1f3ff }, { 0xe0000, 0x10ffff },
};

/* Two columns: the wide blocks of Unicode's EastAsianWidth.txt. */
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

/* By table 3-7 of the Unicode standard: shortest forms, no surrogates. */
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

static void unit_hex(struct selfmon_unit *unit, const char *s, size_t length)
{
	static const char digit[] = "0123456789ABCDEF";
	size_t i;

	unit->bytes = 0;
	for (i = 0; i < length; i++) {
		unit->text[unit->bytes++] = '\\';
		unit->text[unit->bytes++] = 'x';
		unit->text[unit->bytes++] = digit[(unsigned char)s[i] >> 4];
		unit->text[unit->bytes++] = digit[s[i] & 15];
	}
	unit->columns = unit->bytes;
}

bool selfmon_unit_next(const char **at, struct selfmon_unit *unit)
{
	const char *const s = *at;
	uint32_t code;
	size_t length;

	if (!*s)
		return false;
	length = selfmon_utf8_decode(s, &code);
	*at = s + (length ? length : 1);
	if (!length || IS_IN(hidden, code)) {
		unit_hex(unit, s, length ? length : 1);
		return true;
	}
	if (code == '\\') {
		memcpy(unit->text, "\\\\", 2);
		unit->bytes = unit->columns = 2;
		return true;
	}
	memcpy(unit->text, s, length);
	unit->bytes = (unsigned int)length;
	unit->columns = IS_IN(wide_blocks, code) ? 2 : 1;
	return true;
}

size_t selfmon_columns_of(const char *s)
{
	struct selfmon_unit unit;
	size_t columns = 0;

	while (selfmon_unit_next(&s, &unit))
		columns += unit.columns;
	return columns;
}

static void cell_unit(struct selfmon_cell *cell, const char *text,
		      unsigned int bytes, unsigned int columns)
{
	if (cell->columns + columns > SELFMON_CELL_COLUMNS)
		return;
	memcpy(cell->text + cell->bytes, text, bytes);
	cell->bytes += bytes;
	cell->columns += columns;
	cell->text[cell->bytes] = '\0';
}

void selfmon_cell_add(struct selfmon_cell *cell, const char *s,
		      unsigned int columns)
{
	const size_t total = selfmon_columns_of(s);
	const size_t head = columns / 2;
	const size_t tail = columns ? columns - 1 - head : 0;
	struct selfmon_unit unit;
	size_t at = 0;
	bool cut = false;

	if (!columns)
		return;
	for (; selfmon_unit_next(&s, &unit); at += unit.columns) {
		if (total <= columns || at + unit.columns <= head ||
		    (cut && at >= total - tail)) {
			cell_unit(cell, unit.text, unit.bytes, unit.columns);
		} else if (!cut) {
			cell_unit(cell, "\xe2\x80\xa6", 3, 1);
			cut = true;
		}
	}
}

void selfmon_json_string(FILE *stream, const char *s)
{
	uint32_t code;
	size_t length;

	putc('"', stream);
	for (; *s; s += length ? length : 1) {
		length = selfmon_utf8_decode(s, &code);
		if (!length)
			fputs("\xef\xbf\xbd", stream);
		else if (code < 0x20 || code == 0x7f)
			fprintf(stream, "\\u%04x", (unsigned int)code);
		else if (code == '"' || code == '\\')
			fprintf(stream, "\\%c", (int)code);
		else
			fwrite(s, 1, length, stream);
	}
	putc('"', stream);
}

void selfmon_csv_string(FILE *stream, const char *s)
{
	putc('"', stream);
	for (; *s; s++) {
		if (*s == '"')
			putc('"', stream);
		putc(*s, stream);
	}
	putc('"', stream);
}
