/* SPDX-License-Identifier: MIT */
/*
 * Text of any bytes, made harmless for where it is written. Names come from
 * the program, from files and from the environment; none may control the
 * reader's terminal or spreadsheet.
 *
 * Dangerous are control characters (C0, DEL, C1), bidirectional marks, line
 * and paragraph separators, characters without a width of their own (which
 * includes combining marks), private ones, and bytes that are not UTF-8.
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

/* A character, or all that stands for it: never split. */
struct selfmon_unit {
	char text[20];
	unsigned int bytes, columns; /* columns: on a terminal */
};

/* Reads the unit at *at and moves past it. Returns false at the end. */
bool selfmon_unit_next(enum selfmon_for what, const char **at,
		       struct selfmon_unit *unit);

/* Returns the terminal columns of a string, escaped for text. */
size_t selfmon_columns_of(const char *s);

/*
 * Copies whole units until size bytes with the final 0 are full. Returns the
 * length of the copy. size: at least 1.
 */
size_t selfmon_escape(enum selfmon_for what, char *to, size_t size,
		      const char *from);

/* Writes the units of a string, without quotes around them. */
void selfmon_put_units(FILE *stream, enum selfmon_for what, const char *s);

/* Writes one line's or table's piece for a terminal. */
void selfmon_put_text(FILE *stream, const char *s);

/* Writes a string in quotes, as RFC 8259 has it. */
void selfmon_put_json(FILE *stream, const char *s);

/*
 * Writes a text cell in quotes, as RFC 4180 has it. A spreadsheet would
 * compute a cell that begins with = + - @, so an apostrophe comes first; a
 * cell that begins with an apostrophe gets another one.
 */
void selfmon_put_csv(FILE *stream, const char *s);

/* Writes the opening quote of a cell that begins as first does. */
void selfmon_put_csv_open(FILE *stream, const char *first);

#endif
