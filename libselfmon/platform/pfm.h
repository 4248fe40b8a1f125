/* SPDX-License-Identifier: MIT */
/*
 * The names of events in CPUs' manuals, as libpfm4 knows them. That library is
 * looked for at run time, at the first call: nobody needs it who does not use
 * such a name.
 */
#ifndef SELFMON_PLATFORM_PFM_H
#define SELFMON_PLATFORM_PFM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is opened; NULL: nothing. Tests change it, before the first call. */
extern const char *selfmon_pfm_library;

struct selfmon_pfm_code {
	uint32_t type; /* as in struct perf_event_attr, as are the configs */
	uint64_t config;
	uint64_t config1;
	uint64_t config2;
	uint8_t precise; /* its precise_ip */
	bool kernel;     /* the name asks for kernel mode, ... */
	bool user;       /* ... and for user mode as well */
	bool core;       /* of a core PMU */
	bool package;    /* of an uncore PMU */
};

/*
 * Looks up EVENT[:ATTRIBUTE]... (a dot will do for a colon), in any case of
 * letters. at, of a failure: which byte of the name it is about.
 *
 * 0, or -ENOENT: no such event of this CPU's; -EINVAL: not an attribute of it,
 * or not a value of that; -EOPNOTSUPP: it asks for more than to be counted for
 * a thread; -ENODEV: of a PMU that the kernel does not have; -ENOSYS: there is
 * no library.
 */
int selfmon_pfm_find(const char *name, struct selfmon_pfm_code *code,
		     size_t *at);

/* Why there are no such names here, as half a sentence; NULL: there are. */
const char *selfmon_pfm_why_not(void);

/*
 * The events of this CPU, one a call; false after the last. Begin with a
 * cursor of zeroes. description may be NULL; it lives as long as the process.
 */
struct selfmon_pfm_cursor {
	int pmu;           /* the next to be looked at */
	int handle_plus_1; /* of the next event of the PMU before; 0: none */
};
bool selfmon_pfm_next(struct selfmon_pfm_cursor *cursor, char *name,
		      size_t size, const char **description);

/* The i-th attribute of an event, such as a unit mask; false past the last. */
bool selfmon_pfm_attribute(const char *event, size_t i, char *name,
			   size_t size);

#endif
