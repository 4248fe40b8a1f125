/* SPDX-License-Identifier: MIT */
/*
 * Identifies the event that a column's name stands for: an event may have
 * several names.
 */
#ifndef SELFMON_REPORT_EVENT_KIND_H
#define SELFMON_REPORT_EVENT_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The type of an event that the library does not know. */
#define SELFMON_MEANING_NONE UINT32_MAX

struct selfmon_event_kind {
	uint32_t type;         /* perf's type, or SELFMON_MEANING_NONE */
	uint64_t config;
	const char *core;      /* the name without PMU and modifiers */
	size_t core_length;
	/* "" if there is no PMU; the name is not terminated */
	const char *pmu;
	size_t pmu_length;     /* 0 if there is no PMU, or if it is "cpu" */
	const char *modifiers; /* "" for none */
};

void selfmon_event_kind_of(const char *name,
			   struct selfmon_event_kind *meaning);
/*
 * Returns true if both events have the same PMU and modes. Only the values of
 * such events may be divided by each other.
 */
bool selfmon_event_kind_alike(const struct selfmon_event_kind *a,
			      const struct selfmon_event_kind *b);
/*
 * Returns true if the event's name, without PMU, begins with `start`. `start`
 * is in lower case; the case of the name is ignored. A dot in `start` also
 * matches a colon.
 */
bool selfmon_event_kind_begins(const struct selfmon_event_kind *meaning,
			       const char *start);
/* Returns true if the event counts nanoseconds. */
bool selfmon_event_kind_is_time(const struct selfmon_event_kind *meaning);

bool selfmon_event_kind_is_miss(const struct selfmon_event_kind *meaning);

#endif
