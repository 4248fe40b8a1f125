/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "report/json_put.h"

#include <string.h>

#include "platform/escape.h"
#include "report/number.h"
#include "report/number_exact.h"

/*
 * Longer than any name in the schema with separators and a number. Keys that are
 * not names of the schema are written by selfmon_output_json().
 */
#define MEMBER_SIZE 128

static size_t json_add(char *to, size_t at, const char *text)
{
	return (size_t)(stpcpy(to + at, text) - to);
}

static size_t json_add_key(char *to, struct selfmon_json *json,
			   const char *name)
{
	size_t at = json_add(to, 0, json->first ? "" : ",");

	at = json_add(to, at,
		      json->indent[0] ? json->indent
		      : json->first   ? ""
				      : " ");
	at = json_add(to, at, "\"");
	at = json_add(to, at, name);
	json->first = false;
	return json_add(to, at, "\": ");
}

void selfmon_json_key(struct selfmon_json *json, const char *name)
{
	char text[MEMBER_SIZE];
	const size_t length = json_add_key(text, json, name);

	fwrite(text, 1, length, json->stream);
}

/*
 * Does not use fprintf(3), which is too slow: a report of 10,000 rows has a
 * million members.
 */
static void member(struct selfmon_json *json, const char *name,
		   const char *value)
{
	char text[MEMBER_SIZE];
	size_t length = json_add_key(text, json, name);

	length = json_add(text, length, value);
	fwrite(text, 1, length, json->stream);
}

static void put_hex(FILE *stream, const char *s)
{
	putc('"', stream);
	for (; *s; s++)
		fprintf(stream, "%02x", (unsigned int)(unsigned char)*s);
	putc('"', stream);
}

void selfmon_json_text(struct selfmon_json *json, const char *name,
		       const char *value)
{
	char hex[64];

	selfmon_json_key(json, name);
	selfmon_output_json(json->stream, value);
	if (selfmon_utf8_valid(value))
		return;
	snprintf(hex, sizeof(hex), "%s_hex", name);
	selfmon_json_key(json, hex);
	put_hex(json->stream, value);
}

void selfmon_json_integer(struct selfmon_json *json, const char *name,
			  uint64_t value)
{
	char text[SELFMON_NUMBER_SIZE];

	selfmon_number_integer(text, value);
	member(json, name, text);
}

void selfmon_json_signed(struct selfmon_json *json, const char *name,
			 int64_t value)
{
	const uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	char text[SELFMON_NUMBER_SIZE] = "-";

	selfmon_number_integer(text + (value < 0), size);
	member(json, name, text);
}

void selfmon_json_real(struct selfmon_json *json, const char *name,
		       double value)
{
	char text[SELFMON_NUMBER_SIZE];

	selfmon_number_exact(text, value);
	member(json, name, text);
}

void selfmon_json_boolean(struct selfmon_json *json, const char *name,
			  bool value)
{
	member(json, name, value ? "true" : "false");
}

void selfmon_json_null(struct selfmon_json *json, const char *name)
{
	member(json, name, "null");
}

void selfmon_json_put_real(FILE *stream, double value)
{
	char text[SELFMON_NUMBER_SIZE];

	selfmon_number_exact(text, value);
	fputs(text, stream);
}

void selfmon_json_pair(FILE *stream, double first, uint64_t second)
{
	char text[MEMBER_SIZE];
	size_t at = json_add(text, 0, "[");

	selfmon_number_exact(text + at, first);
	at = json_add(text, at + strlen(text + at), ", ");
	at += selfmon_number_integer(text + at, second);
	at = json_add(text, at, "]");
	fwrite(text, 1, at, stream);
}
