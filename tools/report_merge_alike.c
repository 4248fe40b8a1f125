/* SPDX-License-Identifier: MIT */
#include "report_merge_alike.h"

#include <string.h>

#include "report/samples.h"
#include "report_note.h"

#define DESCRIPTION_SIZE (SELFMON_EVENT_NAME_SIZE + 48)

static bool is_alike(const struct selfmon_samples *a,
		     const struct selfmon_samples *b)
{
	return !strcmp(a->event, b->event) && a->period == b->period &&
	       a->frequency == b->frequency;
}

/* Writes "task-clock each 1000003" or "cycles 1000 times a second". */
static void describe(const struct selfmon_samples *samples,
		     char text[DESCRIPTION_SIZE])
{
	if (samples->frequency)
		snprintf(text, DESCRIPTION_SIZE, "%s %lu times a second",
			 samples->event, (unsigned long)samples->frequency);
	else
		snprintf(text, DESCRIPTION_SIZE, "%s each %llu", samples->event,
			 (unsigned long long)samples->period);
}

bool report_samples_alike(struct selfmon_report *to,
			  const struct selfmon_samples *a,
			  const struct report_file *files, size_t count)
{
	char one[DESCRIPTION_SIZE], other[DESCRIPTION_SIZE];
	size_t i;

	for (i = 0; i < count; i++) {
		const struct selfmon_samples *const b =
			files[i].report->samples;

		if (!b || is_alike(a, b))
			continue;
		describe(a, one);
		describe(b, other);
		report_note(to, "samples are left out: they have different "
			    "weights, %s and %s; sample all with one event "
			    "and period%s", one, other,
			    a->asked || b->asked ? ", a longer one: these "
						   "were lengthened" : "");
		return false;
	}
	return true;
}
