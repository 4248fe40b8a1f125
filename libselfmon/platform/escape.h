/* SPDX-License-Identifier: MIT */
/*
 * Escapes arbitrary text for its destination. Names come from the program, from
 * files and from the environment; none of them may control the reader's
 * terminal or spreadsheet.
 *
 * These characters are dangerous: control characters (C0, DEL, C1),
 * bidirectional marks, line and paragraph separators, many characters that take
 * no column (including the most common combining marks), private characters,
 * and bytes that are not UTF-8.
 *
 * SELFMON_FOR_TEXT writes each dangerous byte as \xNN. A backslash is
 * unchanged, so escaping twice changes nothing. SELFMON_FOR_CSV does the same,
 * and doubles backslashes and quotes, so that the original can be recovered.
 * SELFMON_FOR_JSON writes \uNNNN, and U+FFFD for a byte that is not UTF-8.
 */
#ifndef SELFMON_PLATFORM_ESCAPE_H
#define SELFMON_PLATFORM_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum selfmon_for { SELFMON_FOR_TEXT, SELFMON_FOR_CSV, SELFMON_FOR_JSON };

/* Returns the length of the UTF-8 sequence at s, or 0 if it is invalid. */
size_t selfmon_utf8_decode(const char *s, uint32_t *code);
bool selfmon_utf8_valid(const char *s);

/* A character or an escape sequence, which is never split. */
struct selfmon_glyph {
	char text[20];
	unsigned int bytes, columns; /* columns on a terminal */
};

/*
 * Reads the glyph at *at and advances *at. Returns false at the end of the
 * text.
 */
bool selfmon_glyph_next(enum selfmon_for what, const char **at,
			struct selfmon_glyph *unit);

/* Returns how many terminal columns a string takes after escaping for text. */
size_t selfmon_columns_of(const char *s);

/*
 * Copies as many whole glyphs as fit into size bytes, including the final 0.
 * size is at least 1. Returns the length of the copy.
 */
size_t selfmon_escape(enum selfmon_for what, char *to, size_t size,
		      const char *from);

/* Writes a string, escaped for `what`, without quotes. */
void selfmon_output_units(FILE *stream, enum selfmon_for what, const char *s);

/* Writes a string to a terminal, with dangerous bytes escaped. */
void selfmon_output_text(FILE *stream, const char *s);

/* Writes a string in quotes, according to RFC 8259. */
void selfmon_output_json(FILE *stream, const char *s);

/*
 * Writes a cell of text in quotes, according to RFC 4180. A spreadsheet would
 * evaluate a cell that begins with =, +, - or @, so these cells get an
 * apostrophe in front. Cells that begin with an apostrophe get one too, so that
 * the original can be recovered.
 */
void selfmon_output_csv(FILE *stream, const char *s);

/*
 * Writes the opening quote of a cell, and the apostrophe if the cell needs one.
 * `first` is the beginning of the cell's text.
 */
void selfmon_output_csv_open(FILE *stream, const char *first);

#endif
