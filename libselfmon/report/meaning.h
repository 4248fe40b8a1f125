/* SPDX-License-Identifier: MIT */
/* What a column's name means: its event, whatever it was called. */
#ifndef SELFMON_REPORT_MEANING_H
#define SELFMON_REPORT_MEANING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of an event that is in no list of ours. */
#define SELFMON_MEANING_NONE UINT32_MAX

struct selfmon_meaning {
	uint32_t type;         /* as perf has it, or SELFMON_MEANING_NONE */
	uint64_t config;
	const char *core;      /* the name without PMU and modifiers */
	size_t core_length;
	const char *pmu;       /* "" for none and for cpu */
	size_t pmu_length;
	const char *modifiers; /* "" for none */
};

void selfmon_meaning_of(const char *name, struct selfmon_meaning *meaning);
/* Of the same PMU and modes: only such are divided by one another. */
bool selfmon_meaning_alike(const struct selfmon_meaning *a,
			   const struct selfmon_meaning *b);
/* Is it called so, whatever the case of its letters? */
bool selfmon_meaning_begins(const struct selfmon_meaning *meaning,
			    const char *start);
/* Does it count nanoseconds? */
bool selfmon_meaning_is_time(const struct selfmon_meaning *meaning);
/* Does it count misses of something? */
bool selfmon_meaning_is_miss(const struct selfmon_meaning *meaning);

#endif
