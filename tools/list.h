/* SPDX-License-Identifier: MIT */
/* selfmon list: events, by their origin and how they are counted here. */
#ifndef SELFMON_TOOLS_LIST_H
#define SELFMON_TOOLS_LIST_H

#include <stdbool.h>
#include <stdio.h>

#include <selfmon/event.h>

enum list_how {
	LIST_NOT = 0, /* cannot be counted here */
	LIST_SYSCALL, /* by read(2) */
	LIST_USER     /* in user space */
};

struct list_event {
	char name[SELFMON_EVENT_NAME_SIZE]; /* as in SELFMON_EVENTS */
	char aliases[96];
	char text[160];   /* what it counts */
	char section[64]; /* its origin */
	uint32_t type;    /* of generic events, to find aliases */
	uint64_t config;
	enum list_how how;
	char reason[512]; /* why it cannot be counted */
};

struct list {
	size_t count, room;
	struct list_event *event;
	bool searched; /* includes events that are listed only on a search */
};

/*
 * Collects all known events without trying them. Returns false without memory.
 */
bool list_collect(struct list *list);

/* Appends an event, all zero except its name and section. NULL: no memory. */
struct list_event *list_append(struct list *list, const char *name,
			       const char *section);

/* list_named.c: parts of list_collect(). Return false without memory. */
bool list_collect_sets(struct list *list);
bool list_collect_vendor(struct list *list);

/*
 * Returns true if an event has this word in a name or its text, ignoring case.
 */
bool list_has(const struct list_event *event, const char *word);

/* Keeps only events that have all words. */
void list_keep(struct list *list, char **words);

/* Tries each by opening it. */
void list_try(struct list *list);

/* Writes what a generic event counts; "" if unknown. */
void list_describe(const char *name, char *text, size_t size);

void list_print(const struct list *list, bool colours, FILE *stream);
/*
 * Opens the events of a specification and prints how they fit. Returns the exit
 * status.
 */
int list_plan(const char *spec, FILE *stream);

void list_print_json(const struct list *list, FILE *stream);

#endif
