/* SPDX-License-Identifier: MIT */
/* Parses specifications that must be correct. */
#ifndef SELFMON_TEST_EVENT_PARSE_H
#define SELFMON_TEST_EVENT_PARSE_H

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include <selfmon/event.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static inline struct selfmon_events parse(const char *spec, int count)
{
	struct selfmon_events events;
	struct selfmon_failure failure = {0};
	const int ret = selfmon_events_parse(spec, &events, &failure);

	cr_assert_eq(ret, count, "'%s' gives %d: %s", spec, ret,
		     failure.message);
	cr_assert(events.count == (size_t)count);
	return events;
}

#endif
