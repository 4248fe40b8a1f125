/* SPDX-License-Identifier: MIT */
/* selfmon list: events, by where they come from and how they count here. */
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
	char name[SELFMON_EVENT_NAME_SIZE]; /* as SELFMON_EVENTS takes it */
	char aliases[96];
	char text[160];   /* what it counts */
	char section[64]; /* where it comes from */
	uint32_t type;    /* of generic events, for finding aliases */
	uint64_t config;
	enum list_how how;
	char reason[512]; /* why it cannot be counted */
};

struct list {
	size_t count, room;
	struct list_event *event;
	bool searched; /* those of which there are many are among them */
};

/* All events that are known, not tried yet. false: no memory. */
bool list_collect(struct list *list);

/* One more, all zero but for its name and section. NULL: no memory. */
struct list_event *list_append(struct list *list, const char *name,
			       const char *section);

/* list_named.c: parts of that. false: no memory. */
bool list_collect_sets(struct list *list);
bool list_collect_vendor(struct list *list);

/* Does an event have this word in a name or its text, in any case? */
bool list_has(const struct list_event *event, const char *word);

/* Keeps those only that have all of the words. */
void list_keep(struct list *list, char **words);

/* Tries each by opening it. */
void list_try(struct list *list);

/* What a generic event counts; "" if that is not known. */
void list_describe(const char *name, char *text, size_t size);

void list_print(const struct list *list, bool colours, FILE *stream);
/* Opens the events of a specification and tells how they fit. The status. */
int list_plan(const char *spec, FILE *stream);

void list_print_json(const struct list *list, FILE *stream);

#endif
