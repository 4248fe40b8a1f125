/* SPDX-License-Identifier: MIT */
/* Which events count here: each is opened as a set of its own. */
#include <string.h>

#include <selfmon/counters.h>
#include <selfmon/doctor.h>

#include "list.h"
#include "platform/kernel.h"

#define SECOND UINT64_C(1000000000)

static void say_why(struct list_event *event,
		    const struct selfmon_failure *failure)
{
	char text[sizeof(event->reason)];
	const size_t n = strlen(failure->event);
	const char *at = text;

	selfmon_explain(failure, text, sizeof(text));
	/* Without the event's name, so that equal reasons are equal. */
	if (n && !strncmp(text, failure->event, n) && text[n] == ':')
		at += n + 2;
	memmove(event->reason, at, strlen(at) + 1);
}

static void try_one(struct list_event *event)
{
	struct selfmon_counter_info info = { .size = sizeof(info) };
	struct selfmon_failure failure;
	struct selfmon_counters *set;

	if (selfmon_counters_open(event->name, 0, &set, &failure) < 0) {
		say_why(event, &failure);
		return;
	}
	if (!selfmon_counters_info(set, 0, &info)) {
		if (info.verdict == SELFMON_EXACT)
			event->how = LIST_USER;
		else if (info.verdict == SELFMON_SYSCALL)
			event->how = LIST_SYSCALL;
		else if (info.failure)
			say_why(event, info.failure);
	}
	selfmon_counters_close(set);
}

/* On a terminal, from the first second on; gone when all are tried. */
static void show_progress(const struct list *list, size_t done, uint64_t begin,
			  uint64_t *shown)
{
	const uint64_t now = selfmon_kernel_monotonic_ns();

	if (!list->progress || now - begin < SECOND ||
	    now - *shown < SECOND / 10)
		return;
	*shown = now;
	fprintf(stderr, "\rtrying events: %zu of %zu", done, list->count);
	fflush(stderr);
}

void list_try(struct list *list)
{
	const uint64_t begin = selfmon_kernel_monotonic_ns();
	uint64_t shown = 0;
	size_t i;

	for (i = 0; i < list->count; i++) {
		try_one(&list->event[i]);
		show_progress(list, i + 1, begin, &shown);
	}
	if (shown)
		fprintf(stderr, "\r\033[K");
}
