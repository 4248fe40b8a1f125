/* SPDX-License-Identifier: MIT */
/*
 * selfmon list: the events by their origin, and how they are counted on this
 * machine.
 */
#ifndef SELFMON_TOOLS_LIST_H
#define SELFMON_TOOLS_LIST_H

#include <stdbool.h>
#include <stdio.h>

#include <selfmon/event.h>

enum list_how {
	LIST_NOT = 0, /* cannot be counted on this machine */
	LIST_SYSCALL, /* by read(2) */
	LIST_USER     /* in user space */
};

struct list_event {
	char name[SELFMON_EVENT_NAME_SIZE]; /* as in SELFMON_EVENTS */
	char aliases[96];
	char text[160];   /* what it counts */
	char section[64]; /* its origin */
	uint32_t type; /* type and config of generic events, to find aliases */
	uint64_t config;
	enum list_how how;
	char reason[512]; /* why it cannot be counted */
};

struct list {
	size_t count, room;
	struct list_event *event;
	bool searched; /* also has events that are shown only by a search */
};

int tool_list(int argc, char **argv);

#endif
