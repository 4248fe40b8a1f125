/* SPDX-License-Identifier: MIT */
#ifndef SELFMON_DOCTOR_CAUSE_H
#define SELFMON_DOCTOR_CAUSE_H

#include <stdbool.h>
#include <string.h>

#include <selfmon/error.h>

static inline bool selfmon_event_begins(const struct selfmon_failure *failure,
					const char *words)
{
	return strncmp(failure->event, words, strlen(words)) == 0;
}

#endif
