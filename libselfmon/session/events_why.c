/* SPDX-License-Identifier: MIT */
#include "session/events_why.h"

#include <stdio.h>
#include <string.h>

#include <selfmon/doctor.h>

#include "doctor/brief.h"
#include "store/process.h"

void selfmon_events_reason(const struct selfmon_process *process, char *text,
			   size_t size)
{
	text[0] = '\0';
	switch (process->choice) {
	case SELFMON_CHOICE_NO_USER_READ:
	case SELFMON_CHOICE_FAILED:
		selfmon_explain(&process->failure, text, size);
		break;
	case SELFMON_CHOICE_SLOW_READ:
		snprintf(text, size,
			 "counter reads trap to the hypervisor (%llu ns each); "
			 "to count anyway: SELFMON_EVENTS=cycles,instructions",
			 (unsigned long long)process->read_ns);
		break;
	default:
		if (process->left_out.error)
			selfmon_explain(&process->left_out, text, size);
		break;
	}
}

/* Returns the failure because of which this column is not counted, or NULL. */
static const struct selfmon_failure *
failure_of(const struct selfmon_process *process, uint32_t column)
{
	switch (process->choice) {
	case SELFMON_CHOICE_NO_USER_READ:
	case SELFMON_CHOICE_FAILED:
		return column == 0 ? &process->failure : NULL;
	case SELFMON_CHOICE_LIST:
		return !process->counted && column < process->columns
			       ? &process->column[column].failure
			       : NULL;
	default:
		return NULL;
	}
}

void selfmon_events_off(const struct selfmon_process *process, char *text,
			size_t size)
{
	struct selfmon_sentence off = { .length = 0 };
	const struct selfmon_failure *failure;
	struct selfmon_facts facts;
	uint32_t i;

	text[0] = '\0';
	if (!failure_of(process, 0))
		return;
	selfmon_facts_gather(&facts);
	for (i = 0; (failure = failure_of(process, i)); i++) {
		if (!selfmon_brief_off(failure, &facts, &off))
			continue;
		snprintf(text, size, "%.*s", (int)size - 1, off.text);
		return;
	}
}

void selfmon_column_reason(const struct selfmon_column *column,
			   const char *off, char *text, size_t size)
{
	struct selfmon_sentence own = { .length = 0 };
	struct selfmon_facts facts;

	text[0] = '\0';
	if (!column->failure.error)
		return;
	if (*off) {
		selfmon_facts_gather(&facts);
		if (selfmon_brief_off(&column->failure, &facts, &own) &&
		    !strncmp(own.text, off, size - 1)) {
			snprintf(text, size, "%s", off);
			return;
		}
	}
	selfmon_explain(&column->failure, text, size);
}
