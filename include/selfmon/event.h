/* SPDX-License-Identifier: MIT */
/*
 * Event specifications: a specification in perf's syntax becomes a list of
 * events.
 *
 *   cycles,instructions            names as `perf list` prints them, aliases
 *   L1-dcache-load-misses          hardware cache events
 *   page-faults,task-clock         software events
 *   r1a8                           a raw code, hexadecimal
 *   cpu/event=0x3c,umask=0/        terms of a PMU's sysfs format files
 *   cpu/cache-misses/              an event that sysfs lists for the PMU
 *   cpu/cycles/                    a name of `perf list`, on this PMU
 *   MEM_LOAD_RETIRED.L3_MISS       a name of the CPU's manual, with libpfm4
 *   sched:sched_switch             tracepoints, if tracefs is readable
 *   mem:0x601050/8:rw              accesses to a variable (selfmon_event_watch)
 *   uprobe:/bin/app:0x1139         executions of an instruction of a file
 *   @cache                         a set: basic, branch, cache, tlb, frontend,
 *                                  memory or os
 *   cycles:u  cycles:k  cycles:pp  modifiers: user, kernel, precision
 *   {cycles,instructions}          a forced group: all at once or none
 */
#include "compiler.h"
#if defined(SELFMON_DISABLE) && !defined(SELFMON_H)
#include "../selfmon.h"
#endif
#ifndef SELFMON_EVENT_H
#define SELFMON_EVENT_H

#include "error.h"

SELFMON_C_BEGIN

/* Maximum number of values in a snapshot; longer specifications are refused. */
#define SELFMON_MAX_COUNTERS 8

/* Flags of struct selfmon_event. */
#define SELFMON_EVENT_USER 0x01u       /* :u was given */
#define SELFMON_EVENT_KERNEL 0x02u     /* :k was given */
/* Event of a core PMU; may allow user reads. */
#define SELFMON_EVENT_HARDWARE 0x04u
#define SELFMON_EVENT_KERNEL_FIRED 0x08u /* occurs only in kernel mode */

/*
 * One event, ready for perf_event_open(2). The members type, config, config1,
 * config2, config3 and precise (precise_ip) have the same meaning as in struct
 * perf_event_attr. Kernels before 6.3 have no config3 and refuse events that
 * use it. The name is the text as written, including modifiers. Modifiers of a
 * {} or an @set are added to the names of its members: {cycles,cs:k}:u gives
 * cycles:u and cs:uk.
 *
 * For a breakpoint config is bp_type, config1 the address, config2 the length.
 * For a uprobe config2 is the offset, and the name contains the path.
 */
struct selfmon_event {
	char name[SELFMON_EVENT_NAME_SIZE]; /* as written, see above */
	uint32_t type;
	uint32_t flags;
	uint64_t config;
	uint64_t config1;
	uint64_t config2;
	uint64_t config3;
	uint8_t precise;   /* precision: the number of p modifiers, 0 to 3 */
	uint8_t group;     /* 0, or k for a member of the k-th {} group */
	uint16_t position; /* byte offset in the specification */
	uint16_t base;     /* length of the name without modifiers */
	uint16_t reserved;
};

struct selfmon_events {
	size_t count;
	struct selfmon_event event[SELFMON_MAX_COUNTERS];
};

/*
 * Parses a specification without opening events. Reads sysfs for PMUs that are
 * named, and tracefs and libpfm4 for names that are not found otherwise.
 * libpfm4 is not used in a program with more privileges than its caller.
 *
 * spec:    comma separated; spaces around commas and braces are skipped; an
 *          empty one is an error; at most 65535 bytes
 * events:  receives the list; undefined on failure
 * failure: may be NULL; receives the step SELFMON_STEP_PARSE (_POLICY with
 *          -EOPNOTSUPP), position, event and message. Unchanged on success,
 *          unless members of an @set are left out, see below: then error is
 *          E2BIG, and the message names these members
 *
 * If the CPU has several core types, a generalised hardware event becomes one
 * event for each type, with the same position: cycles gives cpu_core/cycles/
 * and cpu_atom/cycles/. A {} becomes one group for each type. If an @set then
 * has more events than fit, the members that do not fit are left out.
 *
 * Later terms of a PMU override earlier ones, and also the terms that a sysfs
 * event name stands for. Modifiers of a {} are combined with its members'
 * modifiers: a member counts in all modes that are given in either place, with
 * the greater precision.
 *
 * Returns the number of events, or
 *   -ENOENT  an unknown event, PMU, term, modifier or set
 *   -ENODEV  an unknown SYSTEM:EVENT while tracefs is not mounted, or an event
 *            of a PMU that the kernel does not have
 *   -EACCES  an unknown SYSTEM:EVENT while tracefs is not readable
 *   -EINVAL  bad syntax, a value too large for its field, name too long
 *   -E2BIG   more than SELFMON_MAX_COUNTERS events
 *   -EOPNOTSUPP  an event that counts the package and not the thread, or an
 *            attribute or a kind of event (uretprobe:) that is not supported
 * Thread-safe; not async-signal-safe.
 */
SELFMON_API int selfmon_events_parse(const char *spec,
				     struct selfmon_events *events,
				     struct selfmon_failure *failure);

/*
 * Writes a specification that counts accesses to a variable with a hardware
 * breakpoint: "mem:0xADDRESS/LENGTH:ACCESS". Most CPUs have about four hardware
 * breakpoints.
 *
 *	char spec[SELFMON_EVENT_NAME_SIZE];
 *
 *	selfmon_event_watch(spec, sizeof(spec), &lock, sizeof(lock), "w");
 *	selfmon_counters_open(spec, 0, &set, NULL);
 *
 * length: 1, 2, 4 or 8; on x86-64 the address must be a multiple of length
 * access: "w" or "rw"; also "r", except on x86-64
 * The rules of x86-64 are not checked here: the kernel refuses the event.
 *
 * Returns the length of the text, -EINVAL (length or access) or -E2BIG (the
 * text does not fit into size). Thread-safe; not async-signal-safe.
 */
SELFMON_API int selfmon_event_watch(char *spec, size_t size,
				    volatile void *address,
				    size_t length, const char *access);

SELFMON_C_END

#endif
