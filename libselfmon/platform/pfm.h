/* SPDX-License-Identifier: MIT */
/*
 * Names of events as in CPU manuals, by libpfm4. The library libpfm4 is loaded
 * when such a name is first used; programs without such names do not need it.
 */
#ifndef SELFMON_PLATFORM_PFM_H
#define SELFMON_PLATFORM_PFM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * File name of the library that is loaded; NULL: none. Tests change it before
 * the first call.
 */
extern const char *selfmon_pfm_library;

struct selfmon_pfm_code {
	uint32_t type; /* type and configs are as in struct perf_event_attr */
	uint64_t config;
	uint64_t config1;
	uint64_t config2;
	uint8_t precise; /* precise_ip of the attr */
	bool kernel;     /* the name requests kernel mode */
	bool user;       /* the name requests user mode too */
	bool core;       /* the event belongs to a core PMU */
	bool package;    /* the event belongs to an uncore PMU */
};

/*
 * Looks up EVENT[:ATTRIBUTE]..., ignoring case. A dot may replace a colon. On
 * failure *at is the position of the wrong part in the name.
 *
 * Returns 0, or -ENOENT if this CPU has no such event, -EINVAL for an unknown
 * attribute or value, -EOPNOTSUPP if the name requests more than counting in
 * one thread, -ENODEV if the kernel lacks the PMU, -ENOSYS if there is no
 * library, or if the name has PFM_NAME_SIZE bytes or more.
 */
int selfmon_pfm_find(const char *name, struct selfmon_pfm_code *code,
		     size_t *at);

/*
 * Returns half a sentence that explains why such names cannot be looked up, or
 * NULL if they can.
 */
const char *selfmon_pfm_why_not(void);

/*
 * Iterates over the events of this CPU; returns false after the last one. Begin
 * with a zeroed cursor. description may be NULL; its text is never freed.
 */
struct selfmon_pfm_cursor {
	int pmu;           /* number of the next PMU to inspect */
	int handle_plus_1; /* next event of this PMU; 0: take the next PMU */
};
bool selfmon_pfm_next(struct selfmon_pfm_cursor *cursor, char *name,
		      size_t size, const char **description);

/*
 * Returns the i-th attribute of an event, such as a unit mask. Returns false
 * after the last one.
 */
bool selfmon_pfm_attribute(const char *event, size_t i, char *name,
			   size_t size);

#endif
