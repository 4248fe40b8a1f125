/* SPDX-License-Identifier: MIT */
/*
 * What to count: a specification in perf's words becomes a list of events.
 *
 *   cycles,instructions            names as `perf list` prints them, aliases
 *   L1-dcache-load-misses          hardware cache events
 *   page-faults,task-clock         software events
 *   r1a8                           a raw code, hexadecimal
 *   cpu/event=0x3c,umask=0/        terms of a PMU's sysfs format files
 *   cpu/cache-misses/              a name of its sysfs events files
 *   cpu/cycles/                    a name of `perf list`, of this PMU
 *   MEM_LOAD_RETIRED.L3_MISS       the CPU's manual, with libpfm4
 *   sched:sched_switch             tracepoints, where tracefs may be read
 *   mem:0x601050/8:rw              accesses to a variable (selfmon_event_watch)
 *   uprobe:/bin/app:function       calls of a function, also by its offset
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

/* Values in one snapshot; a specification with more is refused. */
#define SELFMON_MAX_COUNTERS 8

/* Flags of struct selfmon_event. */
#define SELFMON_EVENT_USER 0x01u       /* :u was asked for */
#define SELFMON_EVENT_KERNEL 0x02u     /* :k was asked for */
#define SELFMON_EVENT_HARDWARE 0x04u   /* of a core PMU: a page may serve it */
#define SELFMON_EVENT_KERNEL_FIRED 0x08u /* happens in kernel mode only */

/*
 * One event, ready for perf_event_open(2). type, config, config1, config2,
 * config3 and precise are the members of struct perf_event_attr of the same (or
 * nearly the same: precise_ip) name. Kernels before 6.3 have no config3 and
 * refuse events that use it. The name is the text as written, modifiers
 * included; those of a {} or a set are put into the names of its members, so
 * that {cycles,cs:k}:u gives cycles:u and cs:uk.
 *
 * Of a breakpoint config is bp_type, config1 the address, config2 the length;
 * of a uprobe config2 is the offset, and the path is the one in the name.
 */
struct selfmon_event {
	char name[SELFMON_EVENT_NAME_SIZE]; /* as written, see below */
	uint32_t type;
	uint32_t flags;
	uint64_t config;
	uint64_t config1;
	uint64_t config2;
	uint64_t config3;
	uint8_t precise;   /* 0 to 3, the number of p's */
	uint8_t group;     /* 0: free; k: member of the k-th {} */
	uint16_t position; /* where in the specification it begins */
	uint16_t base;     /* length of the name without modifiers */
	uint16_t reserved;
};

struct selfmon_events {
	size_t count;
	struct selfmon_event event[SELFMON_MAX_COUNTERS];
};

/*
 * Parses a specification. Opens no event; reads sysfs where a PMU is named,
 * tracefs and libpfm4 for names that are not known otherwise, and an ELF file
 * for the function of a uprobe. Not libpfm4 in a program with privileges that
 * its caller has not.
 *
 * spec:    comma separated, spaces around commas and braces are skipped; an
 *          empty one is an error; at most 65535 bytes
 * events:  receives the list; its content is undefined on failure
 * failure: may be NULL; receives step SELFMON_STEP_PARSE (or _POLICY for
 *          events that count a package and not a thread), position, event
 *          and the message; left alone on success, unless members of a set
 *          are left out, see below: then error is E2BIG, and they are named
 *
 * Where cores are of several types, a generalised hardware event becomes one
 * for each, of the same position: cycles gives cpu_core/cycles/ and
 * cpu_atom/cycles/. A {} becomes one for each type; of a set as many members
 * are taken as fit for all types, in their order.
 *
 * A PMU's later terms override its earlier ones, and what a name of its events
 * files stands for. Modifiers of a {} add to those of its members: the modes
 * of both, the greater precision.
 *
 * Returns the number of events, or
 *   -ENOENT  an unknown event, PMU, term, modifier, set or function
 *   -ENODEV, -EACCES  unknown, and tracefs is not mounted or may not be read
 *   -EINVAL  bad syntax, a value too large for its field, name too long
 *   -E2BIG   more than SELFMON_MAX_COUNTERS events
 *   -EOPNOTSUPP  counts the package, not the thread, or is not supported
 *   any error of open(2) or read(2) on the file of a uprobe
 * Thread-safe; not async-signal-safe.
 */
SELFMON_API int selfmon_events_parse(const char *spec,
				     struct selfmon_events *events,
				     struct selfmon_failure *failure);

/*
 * Writes a specification that counts accesses to a variable, by a hardware
 * breakpoint: "mem:0xADDRESS/LENGTH:ACCESS". CPUs have four or so of these.
 *
 *	char spec[SELFMON_EVENT_NAME_SIZE];
 *
 *	selfmon_event_watch(spec, sizeof(spec), &lock, sizeof(lock), "w");
 *	selfmon_counters_open(spec, 0, &set, NULL);
 *
 * length: 1, 2, 4 or 8; x86-64 wants the address to be a multiple of it
 * access: "w" or "rw"; "r" too, but not on x86-64
 *
 * Returns the length of the text, -EINVAL (length, access) or -E2BIG (it does
 * not fit into size). Thread-safe; not async-signal-safe.
 */
SELFMON_API int selfmon_event_watch(char *spec, size_t size,
				    volatile void *address,
				    size_t length, const char *access);

SELFMON_C_END

#endif
