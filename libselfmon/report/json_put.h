/* SPDX-License-Identifier: MIT */
/* Writes members of JSON objects: a name and a value. */
#ifndef SELFMON_REPORT_JSON_PUT_H
#define SELFMON_REPORT_JSON_PUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct selfmon_json {
	FILE *stream;
	const char *indent; /* "\n  " between members, or "" on one line */
	bool first;
};

/* Writes only the name; the caller writes the value. */
void selfmon_json_key(struct selfmon_json *json, const char *name);

/*
 * Writes a string. If it is not valid UTF-8, also writes all its bytes in
 * hexadecimal, as the member NAME_hex.
 */
void selfmon_json_text(struct selfmon_json *json, const char *name,
		       const char *value);

void selfmon_json_integer(struct selfmon_json *json, const char *name,
			  uint64_t value);
void selfmon_json_signed(struct selfmon_json *json, const char *name,
			 int64_t value);
/* Writes null if the value is not finite. */
void selfmon_json_real(struct selfmon_json *json, const char *name,
		       double value);
void selfmon_json_boolean(struct selfmon_json *json, const char *name,
			  bool value);
void selfmon_json_null(struct selfmon_json *json, const char *name);

/* Writes an array of two values: a double and an integer. */
void selfmon_json_pair(FILE *stream, double first, uint64_t second);

/* Writes a number without a name. */
void selfmon_json_put_real(FILE *stream, double value);

#endif
