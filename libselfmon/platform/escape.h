/* SPDX-License-Identifier: MIT */
/*
 * Escapes arbitrary text for its destination. Names come from the program, from
 * files and from the environment; none may control the reader's terminal or
 * spreadsheet.
 *
 * Dangerous are control characters (C0, DEL, C1), bidirectional marks, line and
 * paragraph separators, characters without their own width (including combining
 * marks), private ones, and bytes that are not UTF-8.
 *
 *   SELFMON_FOR_TEXT  each dangerous byte as \xNN. A backslash stays, so
 *                     escaping twice changes nothing.
 *   SELFMON_FOR_CSV   the same, a backslash and a quote doubled: exact.
 *   SELFMON_FOR_JSON  \uNNNN, and U+FFFD for a byte that is not UTF-8.
 */
#ifndef SELFMON_PLATFORM_ESCAPE_H
#define SELFMON_PLATFORM_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum selfmon_for { SELFMON_FOR_TEXT, SELFMON_FOR_CSV, SELFMON_FOR_JSON };

/* Returns the length of the code point at s, 0 if it is not UTF-8. */
size_t selfmon_utf8_decode(const char *s, uint32_t *code);
bool selfmon_utf8_valid(const char *s);

/* A character, or its escape: never split. */
struct selfmon_glyph {
	char text[20];
	unsigned int bytes, columns; /* columns on a terminal */
};

/* Reads the unit at *at and advances *at. Returns false at the end. */
bool selfmon_glyph_next(enum selfmon_for what, const char **at,
			struct selfmon_glyph *unit);

/* Returns the number of terminal columns of a string, escaped for text. */
size_t selfmon_columns_of(const char *s);

/*
 * Copies whole units into size bytes, including the final 0. Returns the length
 * of the copy. size: at least 1.
 */
size_t selfmon_escape(enum selfmon_for what, char *to, size_t size,
		      const char *from);

/* Writes the units of a string, without quotes. */
void selfmon_output_units(FILE *stream, enum selfmon_for what, const char *s);

/* Writes a part of a line or table for a terminal. */
void selfmon_output_text(FILE *stream, const char *s);

/* Writes a string in quotes, according to RFC 8259. */
void selfmon_output_json(FILE *stream, const char *s);

/*
 * Writes a text cell in quotes, according to RFC 4180. A spreadsheet would
 * evaluate a cell that begins with = + - @, so an apostrophe is put before it,
 * and also before a leading apostrophe.
 */
void selfmon_output_csv(FILE *stream, const char *s);

/* Writes the opening quote of a cell whose text begins like first. */
void selfmon_output_csv_open(FILE *stream, const char *first);

#endif
