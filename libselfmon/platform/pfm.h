/* SPDX-License-Identifier: MIT */
/*
 * Names of events in CPU manuals, from libpfm4. That library is loaded at run
 * time, at the first call: programs that use no such names do not need it.
 */
#ifndef SELFMON_PLATFORM_PFM_H
#define SELFMON_PLATFORM_PFM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The library to load; NULL: none. Tests change it before the first call. */
extern const char *selfmon_pfm_library;

struct selfmon_pfm_code {
	uint32_t type; /* as in struct perf_event_attr, as are the configs */
	uint64_t config;
	uint64_t config1;
	uint64_t config2;
	uint8_t precise; /* its precise_ip */
	bool kernel;     /* the name requests kernel mode */
	bool user;       /* the name requests user mode too */
	bool core;       /* of a core PMU */
	bool package;    /* of an uncore PMU */
};

/*
 * Looks up EVENT[:ATTRIBUTE]... (a dot may replace a colon), ignoring case. On
 * failure *at is the byte of the name that is wrong.
 *
 * Returns 0, or -ENOENT if this CPU has no such event, -EINVAL for an unknown
 * attribute or value, -EOPNOTSUPP if it requests more than counting a thread,
 * -ENODEV if the kernel lacks its PMU, -ENOSYS if there is no library.
 */
int selfmon_pfm_find(const char *name, struct selfmon_pfm_code *code,
		     size_t *at);

/*
 * Returns why there are no such names here, as half a sentence; NULL if there
 * are.
 */
const char *selfmon_pfm_why_not(void);

/*
 * Returns the events of this CPU one by one; false after the last. Start with a
 * zeroed cursor. description may be NULL; it is valid as long as the process.
 */
struct selfmon_pfm_cursor {
	int pmu;           /* the next to inspect */
	int handle_plus_1; /* of the next event of the previous PMU; 0: none */
};
bool selfmon_pfm_next(struct selfmon_pfm_cursor *cursor, char *name,
		      size_t size, const char **description);

/*
 * Returns the i-th attribute of an event, such as a unit mask; false past the
 * last.
 */
bool selfmon_pfm_attribute(const char *event, size_t i, char *name,
			   size_t size);

#endif
