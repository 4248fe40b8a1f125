/* SPDX-License-Identifier: MIT */
/*
 * Uses the input as a list of events: the result must be events, or a message.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include <selfmon/event.h>

#include "event/sysfs.h"
#include "event/tracepoint.h"
#include "fuzz/fuzz.h"

static void check_events(const char *spec, int count,
			 const struct selfmon_events *events)
{
	const size_t length = strlen(spec);
	size_t i;

	FUZZ_ASSERT(count <= SELFMON_MAX_COUNTERS);
	FUZZ_ASSERT((size_t)count == events->count);
	for (i = 0; i < events->count; i++) {
		const struct selfmon_event *event = &events->event[i];

		FUZZ_ASSERT(event->name[0]);
		FUZZ_ASSERT(memchr(event->name, 0, sizeof(event->name)));
		FUZZ_ASSERT(event->position < length);
		FUZZ_ASSERT(event->precise <= 3);
		FUZZ_ASSERT(event->group <= events->count);
	}
}

/* Checks that a text is safe to print on a terminal. */
static void check_text(const char *text, size_t size)
{
	size_t i;

	FUZZ_ASSERT(memchr(text, 0, size));
	for (i = 0; text[i]; i++)
		FUZZ_ASSERT((unsigned char)text[i] >= ' ' && text[i] != 0x7f);
}

static void check_failure(const char *spec, int result,
			  const struct selfmon_failure *failure)
{
	FUZZ_ASSERT(result < 0 && failure->error == -result);
	FUZZ_ASSERT(failure->position <= strlen(spec));
	FUZZ_ASSERT(failure->message[0]);
	check_text(failure->message, sizeof(failure->message));
	FUZZ_ASSERT(memchr(failure->event, 0, sizeof(failure->event)));
	FUZZ_ASSERT(failure->step == SELFMON_STEP_PARSE ||
		    failure->step == SELFMON_STEP_POLICY);
}

static const char *const no_roots[] = { NULL };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *const spec = malloc(size + 1);
	struct selfmon_failure failure;
	struct selfmon_events events;
	int result;

	if (!spec)
		return 0;
	if (size)
		memcpy(spec, data, size);
	spec[size] = '\0';
	memset(&events, 0xa5, sizeof(events));
	memset(&failure, 0xa5, sizeof(failure));
	selfmon_sysfs_root = "/nonexistent";
	selfmon_tracefs_roots = no_roots;
	setenv("LIBPFM_FORCE_PMU", "skl", 1);
	result = selfmon_events_parse(spec, &events, &failure);
	if (result > 0)
		check_events(spec, result, &events);
	else
		check_failure(spec, result, &failure);
	FUZZ_ASSERT(selfmon_events_parse(spec, &events, NULL) == result);
	free(spec);
	return 0;
}
