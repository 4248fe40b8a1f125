/* SPDX-License-Identifier: MIT */
#include "json_line.h"

#include <string.h>

static const char *space(const char *s)
{
	return s + strspn(s, " \t\r\n");
}

static const char *string_end(const char *s)
{
	for (s++; *s && *s != '"'; s++)
		if (*s == '\\' && s[1])
			s++;
	return *s ? s + 1 : s;
}

static const char *value_end(const char *s)
{
	size_t depth = 0;

	while (*s) {
		if (*s == '"') {
			s = string_end(s);
		} else if (*s == '{' || *s == '[') {
			depth++;
			s++;
		} else if (*s == '}' || *s == ']') {
			if (!depth)
				return s;
			depth--;
			s++;
		} else if (depth) {
			s++;
			continue;
		} else {
			s += strcspn(s, ",]} \t\r\n");
		}
		if (!depth)
			return s;
	}
	return s;
}

static bool is_key(const char *s, const char *key)
{
	const size_t length = strlen(key);

	return *s == '"' && !strncmp(s + 1, key, length) &&
	       s[length + 1] == '"';
}

/* Returns the member or element of the value at s, or NULL if there is none. */
static const char *go_into(const char *s, const struct json_in_step *step)
{
	size_t i;

	if (*s != (step->key ? '{' : '['))
		return NULL;
	s = space(s + 1);
	for (i = 0; *s && *s != '}' && *s != ']'; i++) {
		bool found = !step->key && i == step->index;

		if (step->key) {
			found = is_key(s, step->key);
			s = space(string_end(s));
			s = space(*s ? s + 1 : s); /* the colon */
		}
		if (found)
			return s;
		s = space(value_end(s));
		s = space(*s == ',' ? s + 1 : s);
	}
	return NULL;
}

size_t json_line(const char *text, const struct json_in_step *step,
		 size_t depth)
{
	const char *at = space(text), *next;
	size_t line = 1, i;

	for (i = 0; i < depth; i++) {
		next = go_into(at, &step[i]);
		if (!next)
			break;
		at = next;
	}
	for (; text < at; text++)
		line += *text == '\n';
	return line;
}
