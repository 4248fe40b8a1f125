/* SPDX-License-Identifier: MIT */
/*
 * A real job in stages: finds the ten most frequent words of a file. Each stage
 * is a region inside a region for the whole, so that the report shows where the
 * time went. Stages also report their work, so the report has rates. With -l
 * each line is a region too: half a million visits in a file of 25 MB show the
 * cost of a visit. With -w each line also counts its words: the report has the
 * mean and the percentiles of words per line, and words per second.
 *
 *	cc -O2 textstats.c $(pkg-config --cflags --libs selfmon) -o textstats
 *	./textstats [-l | -w] [FILE]           (default: standard input)
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <selfmon.h>

#define TOP 10
#define LONGEST 65536 /* longer words are split */
/* Not inlined: a region around a stage must not change its machine code. */
#define STAGE static __attribute__((noinline)) void

struct word {
	const char *text; /* points into `bytes`; not terminated */
	uint32_t length;
	uint32_t hash;
	size_t count;     /* occurrences; 0: free */
};

struct stats {
	char *bytes;        /* the file's content */
	size_t size, lines;
	struct word *words; /* in the order of the file */
	size_t word_count, word_room;
	struct word *table; /* distinct words, open addressing */
	size_t distinct, table_room; /* room: a power of two */
};

static _Noreturn void die(const char *what)
{
	fflush(stdout);
	fprintf(stderr, "textstats: ");
	perror(what);
	exit(1);
}

static void *resize(void *memory, size_t size)
{
	void *const resized = realloc(memory, size);

	if (!resized)
		die("memory");
	return resized;
}

STAGE read_all(struct stats *s, FILE *file, const char *name)
{
	size_t room = 1 << 16, got;

	s->bytes = resize(NULL, room);
	while ((got = fread(s->bytes + s->size, 1, room - s->size, file)) > 0) {
		s->size += got;
		if (s->size == room)
			s->bytes = resize(s->bytes, room *= 2);
	}
	if (ferror(file))
		die(name);
}

/* Letters and digits; all UTF-8 characters beyond ASCII count as letters. */
static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c > 127;
}

static void split_line(struct stats *s, char *at, const char *end)
{
	for (; at < end; at++) {
		char *const from = at;

		while (at < end && in_word(*at) && at - from < LONGEST) {
			*at = (char)tolower((unsigned char)*at);
			at++;
		}
		if (at == from)
			continue;
		if (s->word_count == s->word_room) {
			s->word_room = 2 * s->word_room + 4096;
			s->words = resize(s->words,
					  s->word_room * sizeof(*s->words));
		}
		s->words[s->word_count++] =
			(struct word){ from, (uint32_t)(at - from), 0, 0 };
	}
}

/* Each visit of the region counts its words. */
static void split_counted(struct stats *s, char *at, char *stop,
			  const struct selfmon_unit *words)
{
	const size_t before = s->word_count;

	SELFMON_REGION("line") {
		split_line(s, at, stop);
		selfmon_region_count(words, s->word_count - before);
	}
}

STAGE split(struct stats *s, bool region_per_line, bool count_words)
{
	const struct selfmon_unit *const words = selfmon_unit("words");
	char *at = s->bytes;
	char *const end = at + s->size;

	while (at < end) {
		char *const newline = memchr(at, '\n', (size_t)(end - at));
		char *const stop = newline ? newline : end;

		if (count_words)
			split_counted(s, at, stop, words);
		else if (region_per_line)
			SELFMON_REGION("line") split_line(s, at, stop);
		else
			split_line(s, at, stop);
		s->lines++;
		at = stop + 1;
	}
}

STAGE hash(struct stats *s) /* FNV-1a */
{
	for (size_t i = 0; i < s->word_count; i++) {
		struct word *const w = &s->words[i];

		w->hash = 2166136261u;
		for (size_t k = 0; k < w->length; k++)
			w->hash = (w->hash ^ (unsigned char)w->text[k]) *
				  16777619u;
	}
}

/* Returns the place of a word in the table, or a free one for it. */
static struct word *look_up(const struct stats *s, const struct word *w)
{
	size_t i = w->hash & (s->table_room - 1);

	while (s->table[i].count && (s->table[i].hash != w->hash ||
				     s->table[i].length != w->length ||
				     memcmp(s->table[i].text, w->text,
					    w->length) != 0))
		i = (i + 1) & (s->table_room - 1);
	return &s->table[i];
}

static void grow_table(struct stats *s)
{
	struct word *const old = s->table;
	const size_t old_room = s->table_room;

	s->table_room = old_room ? old_room * 2 : 1024;
	s->table = calloc(s->table_room, sizeof(*s->table));
	if (!s->table)
		die("memory");
	for (size_t i = 0; i < old_room; i++)
		if (old[i].count)
			*look_up(s, &old[i]) = old[i];
	free(old);
}

STAGE count(struct stats *s)
{
	for (size_t i = 0; i < s->word_count; i++) {
		struct word *place;

		if (s->distinct >= s->table_room / 2)
			grow_table(s);
		place = look_up(s, &s->words[i]);
		if (!place->count) {
			*place = s->words[i];
			s->distinct++;
		}
		place->count++;
	}
}

/*
 * Sorts by descending count, then by first appearance; free places come last.
 */
static int compare(const void *x, const void *y)
{
	const struct word *const a = x, *const b = y;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return (a->text > b->text) - (a->text < b->text);
}

static void print(const struct stats *s)
{
	printf("%zu lines, %zu words, %zu of them distinct\n", s->lines,
	       s->word_count, s->distinct);
	for (size_t i = 0; i < TOP && i < s->distinct; i++)
		printf("%10zu  %.*s\n", s->table[i].count,
		       (int)s->table[i].length, s->table[i].text);
	if (fflush(stdout) != 0)
		die("standard output");
}

int main(int argc, char **argv)
{
	const bool region_per_line = argc > 1 && strcmp(argv[1], "-l") == 0;
	const bool count_words = argc > 1 && strcmp(argv[1], "-w") == 0;
	const char *const name = argv[region_per_line || count_words ? 2 : 1];
	FILE *const file = name ? fopen(name, "rb") : stdin;
	struct stats s = { 0 };

	if (!file)
		die(name);
	SELFMON_REGION("textstats") {
		SELFMON_REGION("read") {
			read_all(&s, file, name ? name : "-");
			selfmon_region_bytes(s.size); /* for ns/byte and GB/s */
		}
		SELFMON_REGION("split") {
			split(&s, region_per_line, count_words);
			selfmon_region_bytes(s.size);
		}
		SELFMON_REGION("hash") {
			hash(&s);
			selfmon_region_items(s.word_count);
		}
		SELFMON_REGION("count") {
			count(&s);
			selfmon_region_items(s.word_count);
		}
		SELFMON_REGION("sort")
			qsort(s.table, s.table_room, sizeof(*s.table), compare);
		SELFMON_REGION("print") print(&s);
	}
	free(s.table);
	free(s.words);
	free(s.bytes);
	fclose(file);
	return 0;
}
