/* SPDX-License-Identifier: MIT */
/*
 * Names of statements: the text of an SQL statement without its variable parts.
 */
#include "selfmon_sqlite.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define NAMES_MAX 1000
#define SEEN_SIZE 2048 /* a power of two, well above NAMES_MAX */

struct text {
	char *to;
	size_t used, size;
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' ||
	       (unsigned char)c >= 0x80;
}

static bool ends_with(const struct text *text, const char *end)
{
	const size_t length = strlen(end);

	return text->used >= length &&
	       memcmp(text->to + text->used - length, end, length) == 0;
}

static void put(struct text *text, char c)
{
	if (c == ' ' && (text->used == 0 || text->to[text->used - 1] == ' '))
		return;
	if (c == ',' && ends_with(text, " "))
		text->used--;
	if (text->used + 1 < text->size)
		text->to[text->used++] = c;
}

/* Adds a "?" for a literal; merges "?, ?" into "?". */
static void put_literal(struct text *text)
{
	if (ends_with(text, "?,"))
		text->used -= 1;
	else if (ends_with(text, "?, "))
		text->used -= 2;
	else
		put(text, '?');
}

/* Adds a ")"; merges rows of values, "(?), (?)", into "(?)". */
static void put_closing(struct text *text)
{
	put(text, ')');
	if (ends_with(text, "(?),(?)"))
		text->used -= 4;
	else if (ends_with(text, "(?), (?)"))
		text->used -= 5;
}

/* Returns the end of quoted text; a quote inside is doubled. */
static const char *skip_quoted(const char *at, char quote)
{
	for (at++; *at; at++) {
		if (*at != quote)
			continue;
		if (quote == ']' || at[1] != quote)
			return at + 1;
		at++;
	}
	return at;
}

/*
 * Returns the end of a comment or of one blank, or `at` itself if there is
 * neither.
 */
static const char *skip_blank(const char *at)
{
	const char *end;

	if (at[0] == '-' && at[1] == '-') {
		end = strchr(at, '\n');
		return end ? end : at + strlen(at);
	}
	if (at[0] == '/' && at[1] == '*') {
		end = strstr(at + 2, "*/");
		return end ? end + 2 : at + strlen(at);
	}
	return at + (isspace((unsigned char)*at) ? 1 : 0);
}

static const char *copy_until(struct text *text, const char *at,
			      const char *end)
{
	while (at < end)
		put(text, *at++);
	return at;
}

/* Returns the end of a number. Also accepts 1e-3, 0x1f and .5. */
static const char *skip_number(const char *at)
{
	while (is_word(*at) || *at == '.' ||
	       ((*at == '+' || *at == '-') && (at[-1] | 0x20) == 'e' &&
		isdigit((unsigned char)at[1])))
		at++;
	return at;
}

static const char *word_end(const char *at)
{
	while (is_word(*at))
		at++;
	return at;
}

/* Copies or replaces one token. Returns the start of the next token. */
static const char *take(struct text *text, const char *at)
{
	const char *const blank = skip_blank(at);

	if (blank != at) {
		put(text, ' ');
		return blank;
	}
	if (*at == '\'' || ((*at | 0x20) == 'x' && at[1] == '\'')) {
		put_literal(text);
		return skip_quoted(*at == '\'' ? at : at + 1, '\'');
	}
	if (*at == '"' || *at == '`')
		return copy_until(text, at, skip_quoted(at, *at));
	if (*at == '[')
		return copy_until(text, at, skip_quoted(at, ']'));
	if (isdigit((unsigned char)*at) ||
	    (*at == '.' && isdigit((unsigned char)at[1]))) {
		put_literal(text);
		return skip_number(at);
	}
	if (is_word(*at))
		return copy_until(text, at, word_end(at));
	if (strchr("?:@", *at)) /* a parameter, with its name or number */
		return copy_until(text, at, word_end(at + 1));
	if (*at == ')')
		put_closing(text);
	else
		put(text, *at);
	return at + 1;
}

void statement_name(const char *sql, char *name, size_t size)
{
	struct text text = { name, 0, size };

	while (*sql && text.used + 1 < text.size)
		sql = take(&text, sql);
	while (text.used > 0 && strchr("; ", text.to[text.used - 1]))
		text.used--;
	text.to[text.used] = '\0';
}

/*
 * Returns true if the name is one of the first NAMES_MAX names. Names with the
 * same hash are taken for one name.
 */
static bool is_among_first(const char *name)
{
	static uint64_t seen[SEEN_SIZE];
	static uint32_t count;
	uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
	size_t i;

	for (i = 0; name[i]; i++)
		hash = (hash ^ (unsigned char)name[i]) * UINT64_C(1099511628211);
	hash |= 1; /* 0: free */
	for (i = 0; i < SEEN_SIZE; i++) {
		uint64_t *const slot = &seen[(hash / 2 + i) % SEEN_SIZE];
		uint64_t found = __atomic_load_n(slot, __ATOMIC_RELAXED);

		if (found == 0 && __atomic_load_n(&count, __ATOMIC_RELAXED) >=
					  NAMES_MAX)
			return false;
		if (found == 0 && __atomic_compare_exchange_n(
					  slot, &found, hash, false,
					  __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
			__atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
			return true;
		}
		if (found == hash)
			return true;
	}
	return false;
}

struct selfmon_region *statement_region(const char *sql)
{
	char name[NAME_SIZE];

	statement_name(sql, name, sizeof(name));
	return selfmon_region(is_among_first(name) ? name
						   : "(other statements)");
}
