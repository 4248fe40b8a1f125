/* SPDX-License-Identifier: MIT */
#include "json_in.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_big.h"
#include "json_line.h"

/*
 * Replaces special characters in a message of the parser. The message quotes
 * the file, which may contain terminal sequences.
 */
static void make_plain(char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}

/* Parses again with large numbers marked. Called only if the file has any. */
static json_t *load_big(const char *text, size_t size, json_error_t *error)
{
	char *const marked = json_big_marked(text, size, &size);
	json_t *const root =
		marked ? json_loadb(marked, size, JSON_REJECT_DUPLICATES, error)
		       : NULL;

	free(marked);
	return root;
}

bool json_in_open(struct json_in *in, size_t size)
{
	json_error_t error;

	in->root = json_loadb(in->text, size, JSON_REJECT_DUPLICATES, &error);
	if (!in->root && json_error_code(&error) == json_error_numeric_overflow)
		in->root = load_big(in->text, size, &error);
	if (in->root)
		return true;
	make_plain(error.text);
	snprintf(in->fault, sizeof(in->fault), "%.200s:%d: not JSON: %.200s",
		 in->path, error.line, error.text);
	return false;
}

void json_in_close(struct json_in *in)
{
	json_decref(in->root);
	in->root = NULL;
}

/* Writes the path of a value, such as rows[3].time_ns.sum. */
static void put_steps(const struct json_in *in, char *to, size_t size)
{
	size_t used = 0, i;

	to[0] = '\0';
	for (i = 0; i < in->depth && used < size; i++) {
		const struct json_in_step *step = &in->step[i];

		used += (size_t)(step->key
				? snprintf(to + used, size - used, "%s%s",
					   i ? "." : "", step->key)
				: snprintf(to + used, size - used, "[%zu]",
					   step->index));
	}
}

void json_in_wrong(struct json_in *in, const char *format, ...)
{
	char steps[160], what[256];
	va_list values;

	if (in->fault[0])
		return;
	va_start(values, format);
	vsnprintf(what, sizeof(what), format, values);
	va_end(values);
	put_steps(in, steps, sizeof(steps));
	snprintf(in->fault, sizeof(in->fault), "%.80s:%zu: %s%s%.200s",
		 in->path, json_line(in->text, in->step, in->depth), steps,
		 steps[0] ? ": " : "", what);
}

static const char *kind_of(const json_t *value)
{
	static const char *const name[] = {
		[JSON_OBJECT] = "an object", [JSON_ARRAY] = "a list",
		[JSON_STRING] = "a string",  [JSON_INTEGER] = "a whole number",
		[JSON_REAL] = "a fraction",  [JSON_TRUE] = "true",
		[JSON_FALSE] = "false",	     [JSON_NULL] = "null",
	};
	uint64_t big;

	return json_big_is(value, &big) ? "a number above 2^63 - 1"
					: name[json_typeof(value)];
}

static void expected(struct json_in *in, const char *what, const json_t *found)
{
	json_in_wrong(in, "%s was expected, not %s", what, kind_of(found));
}

static void go(struct json_in *in, const char *key, size_t index)
{
	in->step[in->depth] = (struct json_in_step){ key, index };
	in->depth++;
}

void json_in_up(struct json_in *in)
{
	in->depth--;
}

json_t *json_in_member(struct json_in *in, json_t *from, const char *key)
{
	json_t *const value = from ? json_object_get(from, key) : NULL;

	if (!value)
		json_in_wrong(in, "\"%s\" is missing", key);
	return in->fault[0] ? NULL : value;
}

json_t *json_in_object(struct json_in *in, json_t *from, const char *key)
{
	json_t *const value = json_in_member(in, from, key);

	go(in, key, 0);
	if (value && !json_is_object(value))
		expected(in, "an object", value);
	return in->fault[0] ? NULL : value;
}

json_t *json_in_list(struct json_in *in, json_t *from, const char *key)
{
	json_t *const value = json_in_member(in, from, key);

	go(in, key, 0);
	if (value && !json_is_array(value))
		expected(in, "a list", value);
	return in->fault[0] ? NULL : value;
}

json_t *json_in_element(struct json_in *in, json_t *list, size_t i)
{
	json_t *const value = json_array_get(list, i);

	go(in, NULL, i);
	if (value && !json_is_object(value) && !json_is_array(value))
		expected(in, "an object or a list", value);
	return in->fault[0] ? NULL : value;
}

bool json_in_is_null(struct json_in *in, json_t *from, const char *key)
{
	return json_is_null(json_in_member(in, from, key));
}

uint64_t json_in_count(struct json_in *in, const json_t *value, uint64_t most)
{
	const json_int_t number = json_integer_value(value);
	uint64_t big;

	if (!value)
		return 0;
	if (most > INT64_MAX && json_big_is(value, &big) && big <= most)
		return in->fault[0] ? 0 : big;
	if (!json_is_integer(value))
		expected(in, "a whole number", value);
	else if (number < 0 || (uint64_t)number > most)
		json_in_wrong(in, "a whole number from 0 to %llu was expected, "
			      "not %lld", (unsigned long long)most,
			      (long long)number);
	return in->fault[0] ? 0 : (uint64_t)number;
}

uint64_t json_in_integer(struct json_in *in, json_t *from, const char *key,
			 uint64_t most)
{
	const json_t *const value = json_in_member(in, from, key);
	uint64_t number;

	go(in, key, 0);
	number = json_in_count(in, value, most);
	json_in_up(in);
	return number;
}

int64_t json_in_signed(struct json_in *in, json_t *from, const char *key)
{
	const json_t *const value = json_in_member(in, from, key);

	go(in, key, 0);
	if (value && !json_is_integer(value))
		expected(in, "a whole number", value);
	json_in_up(in);
	return in->fault[0] ? 0 : json_integer_value(value);
}

bool json_in_boolean(struct json_in *in, json_t *from, const char *key)
{
	const json_t *const value = json_in_member(in, from, key);

	go(in, key, 0);
	if (value && !json_is_boolean(value))
		expected(in, "true or false", value);
	json_in_up(in);
	return json_is_true(value);
}

double json_in_number(struct json_in *in, const json_t *value)
{
	if (value && !json_is_number(value) && !json_is_null(value))
		expected(in, "a number or null", value);
	return value && json_is_number(value) ? json_number_value(value)
					      : (double)NAN;
}

double json_in_real(struct json_in *in, json_t *from, const char *key)
{
	const json_t *const value = json_in_member(in, from, key);
	double number;

	go(in, key, 0);
	number = json_in_number(in, value);
	json_in_up(in);
	return number;
}

static int digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *const at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/*
 * Decodes pairs of hexadecimal digits, other than 00. Returns NULL for any
 * other text.
 */
static char *from_hex(const char *hex)
{
	const size_t bytes = strlen(hex) / 2;
	char *const to = calloc(bytes + 1, 1);
	size_t i;

	for (i = 0; to && i < bytes; i++) {
		const int high = digit(hex[2 * i]), low = digit(hex[2 * i + 1]);

		to[i] = (char)(high * 16 + low);
		if (high < 0 || low < 0 || !to[i])
			break;
	}
	if (to && (i < bytes || hex[2 * bytes])) {
		free(to);
		return NULL;
	}
	return to;
}

static char *string_of(struct json_in *in, const json_t *value, bool hex)
{
	char *text = NULL;

	if (!json_is_string(value)) {
		expected(in, "a string", value);
		return NULL;
	}
	text = hex ? from_hex(json_string_value(value))
		   : strdup(json_string_value(value));
	if (!text)
		json_in_wrong(in, "%s", hex ? "bytes in hexadecimal, none of "
					      "them 00, were expected"
					    : "no memory");
	return text;
}

char *json_in_string(struct json_in *in, json_t *from, const char *key)
{
	const json_t *const value = json_in_member(in, from, key);
	const json_t *exact;
	char name[64], *text;

	if (!value)
		return NULL;
	snprintf(name, sizeof(name), "%s_hex", key);
	exact = json_object_get(from, name);
	go(in, exact ? name : key, 0);
	text = string_of(in, exact ? exact : value, exact);
	json_in_up(in);
	return text;
}

void json_in_copy(struct json_in *in, json_t *from, const char *key, char *to,
		  size_t size)
{
	char *const text = json_in_string(in, from, key);

	to[0] = '\0';
	if (!text)
		return;
	go(in, key, 0);
	if (strlen(text) >= size)
		json_in_wrong(in, "at most %zu bytes were expected, not %zu",
			      size - 1, strlen(text));
	else
		strcpy(to, text);
	json_in_up(in);
	free(text);
}

size_t json_in_word(struct json_in *in, json_t *from, const char *key,
		    const char *const *words)
{
	char text[64];
	size_t i;

	json_in_copy(in, from, key, text, sizeof(text));
	for (i = 0; words[i]; i++)
		if (!strcmp(words[i], text))
			return i;
	go(in, key, 0);
	json_in_wrong(in, "no such %s is known", key);
	json_in_up(in);
	return 0;
}
