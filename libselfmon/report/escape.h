/* SPDX-License-Identifier: MIT */
/*
 * Names of any bytes, made fit to be written: for a terminal, JSON and CSV.
 *
 * On a terminal a character that is printable and has columns of its own
 * stays what it is. Everything else, byte by byte, is written \xNN: control
 * characters, invalid UTF-8, formats (bidi controls, zero width spaces), and
 * combining marks, which would join what stands before them. A backslash is
 * doubled.
 */
#ifndef SELFMON_REPORT_ESCAPE_H
#define SELFMON_REPORT_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The code point at s, in a string that ends with a 0; its length, or 0. */
size_t selfmon_utf8_decode(const char *s, uint32_t *code);
bool selfmon_utf8_valid(const char *s);

/* What is never torn apart: a character, or all that stands for it. */
struct selfmon_unit {
	char text[20];
	unsigned int bytes, columns;
};

/* The unit at *at, which moves past it; false at the end. */
bool selfmon_unit_next(const char **at, struct selfmon_unit *unit);

/* Terminal columns of a whole string, as escaped. */
size_t selfmon_columns_of(const char *s);

/* Text of a known width; 4 bytes a column and some more. */
#define SELFMON_CELL_COLUMNS 100
struct selfmon_cell {
	char text[SELFMON_CELL_COLUMNS * 4 + 20];
	unsigned int bytes, columns;
};

/* Appends a string, escaped, cut in its middle to at most so many columns. */
void selfmon_cell_add(struct selfmon_cell *cell, const char *s,
		      unsigned int columns);

/* In quotes, as RFC 8259 has it; invalid bytes become U+FFFD. */
void selfmon_json_string(FILE *stream, const char *s);

/* In quotes, as RFC 4180 has it. */
void selfmon_csv_string(FILE *stream, const char *s);

#endif
