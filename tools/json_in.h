/* SPDX-License-Identifier: MIT */
/*
 * Reads a JSON file. Required values must exist and have the right type. The
 * first error is stored; after it, all functions return NULL, 0, false or NaN.
 */
#ifndef SELFMON_TOOLS_JSON_IN_H
#define SELFMON_TOOLS_JSON_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#define JSON_IN_DEPTH 8
#define JSON_IN_FAULT 512

struct json_in {
	const char *path;
	const char *text;       /* the whole file, with a final 0 */
	json_t *root;
	struct json_in_step {
		const char *key; /* NULL: an element of a list */
		size_t index;
	} step[JSON_IN_DEPTH];  /* path from the root to the current value */
	size_t depth;
	char fault[JSON_IN_FAULT]; /* "": none yet */
};

/* Parses the text. Returns false, and stores an error, if it is not JSON. */
bool json_in_open(struct json_in *in, size_t size);
void json_in_close(struct json_in *in);

/* Stores an error with its line and path, unless there is one already. */
void json_in_wrong(struct json_in *in, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * These functions enter a member or an element. json_in_up() leaves it, and
 * must be called even after an error.
 */
json_t *json_in_object(struct json_in *in, json_t *from, const char *key);
json_t *json_in_list(struct json_in *in, json_t *from, const char *key);
json_t *json_in_element(struct json_in *in, json_t *list, size_t i);
void json_in_up(struct json_in *in);

/* Return members of an object. */
json_t *json_in_member(struct json_in *in, json_t *from, const char *key);
bool json_in_is_null(struct json_in *in, json_t *from, const char *key);
uint64_t json_in_integer(struct json_in *in, json_t *from, const char *key,
			 uint64_t most);
int64_t json_in_signed(struct json_in *in, json_t *from, const char *key);
bool json_in_boolean(struct json_in *in, json_t *from, const char *key);
/* Returns a number, or NaN for null. */
double json_in_real(struct json_in *in, json_t *from, const char *key);
/*
 * Returns a string of arbitrary bytes, or NULL. If there is a member with the
 * same name plus _hex, decodes this member instead. The caller frees the
 * string.
 */
char *json_in_string(struct json_in *in, json_t *from, const char *key);
/*
 * Copies a string of arbitrary bytes into an array. A string that is too long
 * is an error.
 */
void json_in_copy(struct json_in *in, json_t *from, const char *key, char *to,
		  size_t size);
/*
 * Returns the index of a word in a NULL-terminated list. An unknown word is an
 * error.
 */
size_t json_in_word(struct json_in *in, json_t *from, const char *key,
		    const char *const *words);

/* Return the value of an array element. */
double json_in_number(struct json_in *in, const json_t *value);
uint64_t json_in_count(struct json_in *in, const json_t *value, uint64_t most);

#endif
