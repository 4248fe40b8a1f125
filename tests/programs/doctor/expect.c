/* SPDX-License-Identifier: MIT */
/* Compares a text with an expectation written by hand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor.h"

#define LINES 128
#define COLUMNS 1200

struct lines {
	size_t count;
	char line[LINES][COLUMNS];
};

/*
 * Only * is special, since expected texts contain brackets and question marks.
 */
static bool like(const char *pattern, const char *text)
{
	if (*pattern == '*')
		return like(pattern + 1, text) ||
		       (*text && like(pattern, text + 1));
	if (*pattern != *text)
		return false;
	return !*pattern || like(pattern + 1, text + 1);
}

static void add(struct lines *lines, const char *from, size_t length)
{
	if (lines->count == LINES || length >= COLUMNS) {
		fprintf(stderr, "doctor: too long an output\n");
		exit(1);
	}
	while (length && (from[length - 1] == ' ' || from[length - 1] == '\n'))
		length--;
	memcpy(lines->line[lines->count], from, length);
	lines->line[lines->count++][length] = '\0';
}

static void split(struct lines *lines, const char *text)
{
	size_t n;

	for (; *text; text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		add(lines, text, n);
	}
}

static void read_expected(struct lines *lines, const char *path)
{
	char line[COLUMNS];
	FILE *file = fopen(path, "r");

	if (!file) {
		perror(path);
		exit(1);
	}
	while (fgets(line, sizeof(line), file))
		if (line[0] != '#')
			add(lines, line, strlen(line));
	fclose(file);
}

/*
 * Compares from line i of `want` and line k of `have` on. Returns true if all
 * further lines match. Raises *reached to the last line of `want` that was
 * compared.
 */
static bool compare(const struct lines *want, size_t i,
		    const struct lines *have, size_t k, size_t *reached)
{
	for (; i < want->count; i++, k++) {
		*reached = i > *reached ? i : *reached;
		if (!strcmp(want->line[i], "...")) {
			for (; k <= have->count; k++)
				if (compare(want, i + 1, have, k, reached))
					return true;
			return false;
		}
		if (k == have->count || !like(want->line[i], have->line[k]))
			return false;
	}
	return k == have->count;
}

bool expect_matches(const char *path, const char *text)
{
	static struct lines want, have;
	size_t reached = 0;

	want.count = have.count = 0;
	read_expected(&want, path);
	split(&have, text);
	if (compare(&want, 0, &have, 0, &reached))
		return true;
	printf("%s: the output does not match from here on:\n  %s\nin:\n%s",
	       path, want.line[reached], text);
	return false;
}
