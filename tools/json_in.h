/* SPDX-License-Identifier: MIT */
/*
 * A JSON file as it is read: what is asked for must be there and of its kind.
 * The first fault stands: after it every answer is empty, and is no answer.
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
	const char *text;       /* all of the file, and a 0 */
	json_t *root;
	struct json_in_step {
		const char *key; /* NULL: an element */
		size_t index;
	} step[JSON_IN_DEPTH];  /* from the root to what is looked at */
	size_t depth;
	char fault[JSON_IN_FAULT]; /* "": none yet */
};

/* False, with a fault, if it is no JSON. */
bool json_in_open(struct json_in *in, size_t size);
void json_in_close(struct json_in *in);

/* Says at which line and in what something is wrong, unless something was. */
void json_in_wrong(struct json_in *in, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Goes into a member or an element; json_in_up() goes back, whatever came. */
json_t *json_in_object(struct json_in *in, json_t *from, const char *key);
json_t *json_in_list(struct json_in *in, json_t *from, const char *key);
json_t *json_in_element(struct json_in *in, json_t *list, size_t i);
void json_in_up(struct json_in *in);

/* Members of an object. */
json_t *json_in_member(struct json_in *in, json_t *from, const char *key);
bool json_in_is_null(struct json_in *in, json_t *from, const char *key);
uint64_t json_in_integer(struct json_in *in, json_t *from, const char *key,
			 uint64_t most);
int64_t json_in_signed(struct json_in *in, json_t *from, const char *key);
bool json_in_boolean(struct json_in *in, json_t *from, const char *key);
/* null is NaN. */
double json_in_real(struct json_in *in, json_t *from, const char *key);
/* Any bytes, by its _hex if there is one; freed by the caller, or NULL. */
char *json_in_string(struct json_in *in, json_t *from, const char *key);
/* The same into a field; one that is too long for it is a fault. */
void json_in_copy(struct json_in *in, json_t *from, const char *key, char *to,
		  size_t size);
/* The place in a NULL-terminated list of words. */
size_t json_in_word(struct json_in *in, json_t *from, const char *key,
		    const char *const *words);

/* Values that are not members. */
double json_in_number(struct json_in *in, const json_t *value);
uint64_t json_in_count(struct json_in *in, const json_t *value, uint64_t most);

/* json_line.c: the line of what lies at the end of these steps. */
size_t json_line(const char *text, const struct json_in_step *step,
		 size_t depth);

#endif
