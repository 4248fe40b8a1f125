/* SPDX-License-Identifier: MIT */
/* Writes paragraphs that wrap at 100 columns, and aligned cells. */
#include "report/text_line.h"

#include <stdarg.h>
#include <string.h>

#include "report/text.h"

static void pad(struct selfmon_text *text, unsigned int columns)
{
	fprintf(text->stream, "%*s", (int)columns, "");
}

/* Begins a paragraph. label is ASCII text for the start of the line, or "". */
void selfmon_text_begin(struct selfmon_text *text, const char *label,
			unsigned int indent)
{
	fprintf(text->stream, "%-*s", (int)indent, label);
	text->column = text->indent = indent;
	text->space = false;
}

static void new_line(struct selfmon_text *text)
{
	putc('\n', text->stream);
	pad(text, text->indent);
	text->column = text->indent;
	text->space = false;
}

static size_t word_columns(const char *s, const char *end)
{
	struct selfmon_glyph unit;
	size_t columns = 0;

	while (s < end && selfmon_glyph_next(SELFMON_FOR_TEXT, &s, &unit))
		columns += unit.columns;
	return columns;
}

/*
 * Writes a word, and breaks it if it is longer than a line. Leaves the last
 * column free for a comma that the next call may append.
 */
static void put_word(struct selfmon_text *text, const char *s, const char *end)
{
	struct selfmon_glyph unit;

	if (text->column > text->indent && text->space &&
	    text->column + 1 + word_columns(s, end) > SELFMON_LINE_COLUMNS - 1)
		new_line(text);
	if (text->space && text->column > text->indent) {
		putc(' ', text->stream);
		text->column++;
	}
	text->space = false;
	while (s < end && selfmon_glyph_next(SELFMON_FOR_TEXT, &s, &unit)) {
		if (text->column + unit.columns > SELFMON_LINE_COLUMNS)
			new_line(text);
		fwrite(unit.text, 1, unit.bytes, text->stream);
		text->column += unit.columns;
	}
}

void selfmon_text_say(struct selfmon_text *text, const char *format, ...)
{
	char buffer[4 * SELFMON_TEXT_MAX];
	const char *s = buffer;
	va_list list;

	va_start(list, format);
	vsnprintf(buffer, sizeof(buffer), format, list);
	va_end(list);
	while (*s) {
		const size_t length = strcspn(s, " ");

		if (length)
			put_word(text, s, s + length);
		s += length;
		if (*s) {
			text->space = true;
			s++;
		}
	}
}

void selfmon_text_say_number(struct selfmon_text *text, const char *number)
{
	put_word(text, number, number + strlen(number));
}

void selfmon_text_end(struct selfmon_text *text)
{
	putc('\n', text->stream);
}

void selfmon_text_right(struct selfmon_text *text, const char *ascii,
			unsigned int columns)
{
	fprintf(text->stream, "%*s", (int)(text->pending + columns), ascii);
	text->pending = 0;
}

void selfmon_text_left(struct selfmon_text *text,
		       const struct selfmon_cell *cell, unsigned int columns)
{
	pad(text, text->pending);
	fwrite(cell->text, 1, cell->bytes, text->stream);
	text->pending =
		cell->columns < columns ? columns - cell->columns : 0;
}

/* Ends a row of a table. Trailing spaces are not written. */
void selfmon_text_row_end(struct selfmon_text *text)
{
	putc('\n', text->stream);
	text->pending = 0;
}

/* Prints as many marks as fit, the most important ones first. */
void selfmon_text_marks(struct selfmon_text *text, unsigned int marks,
			unsigned int columns)
{
	static const char sign[] = "*x^!~?sm";
	unsigned int i;

	for (i = 0; sign[i] && columns; i++) {
		if (!(marks & 1u << i))
			continue;
		pad(text, text->pending);
		text->pending = 0;
		putc(sign[i], text->stream);
		text->marks |= 1u << i;
		columns--;
	}
	text->pending += columns;
}
