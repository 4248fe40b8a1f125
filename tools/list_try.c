/* SPDX-License-Identifier: MIT */
#include "list_try.h"

#include <string.h>

#include <selfmon/counters.h>
#include <selfmon/doctor.h>

#include "progress.h"

static void say_why(struct list_event *event,
		    const struct selfmon_failure *failure)
{
	char text[sizeof(event->reason)];
	const size_t n = strlen(failure->event);
	const char *at = text;

	selfmon_explain(failure, text, sizeof(text));
	/*
	 * Removes the event's name from the text, so that equal reasons have
	 * equal texts.
	 */
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

/*
 * Returns true if the event need not be opened, since `before` has the same
 * result: both are tracepoints of one system, such as sched, `before` can be
 * counted, and this event has an id. Permission does not depend on the single
 * tracepoint (perf_trace_event_perm() in kernel/trace/trace_event_perf.c).
 * Opening thousands of tracepoints would take minutes: when one is closed, the
 * kernel waits for all CPUs (perf_trace_event_unreg()).
 */
static bool is_like(const struct list_event *event,
		    const struct list_event *before)
{
	const size_t system = strcspn(event->name, ":") + 1;
	struct selfmon_events events;

	return !strcmp(event->section, "tracepoints") &&
	       !strcmp(before->section, "tracepoints") &&
	       !strncmp(event->name, before->name, system) &&
	       before->how != LIST_NOT &&
	       selfmon_events_parse(event->name, &events, NULL) > 0;
}

void list_try(struct list *list)
{
	size_t i;

	progress_begin("trying events", list->count);
	for (i = 0; i < list->count; i++) {
		struct list_event *const event = &list->event[i];

		progress_at(i);
		if (i > 0 && is_like(event, event - 1))
			event->how = event[-1].how;
		else
			try_one(event);
	}
	progress_end();
}
