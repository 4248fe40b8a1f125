/* SPDX-License-Identifier: MIT */
/*
 * Makes calls of platform/kernel.h fail on demand (ld --wrap, tests.mk), and
 * simulates a PMU: hardware events are opened as software events, their pages
 * are memory of the test, and the number of counters can be chosen.
 */
#ifndef TESTS_FAULT_KERNEL_FAULTS_H
#define TESTS_FAULT_KERNEL_FAULTS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <selfmon/page.h>

enum fault_call {
	FAULT_OPEN,
	FAULT_MAP,
	FAULT_ENABLE,
	FAULT_READ,
	FAULT_MEMORY,
	FAULT_CALLS
};

/*
 * Size of the name of a call, or of the path of a file that is read, with its
 * terminating zero. Longer names and paths are cut.
 */
#define FAULT_NAME 64

struct kernel_faults {
	/*
	 * Calls number `from` to `to` fail. 1 is the first call; 0: none fails.
	 */
	struct {
		unsigned int from;
		unsigned int to;
		int error; /* positive */
		unsigned int calls; /* number of calls so far */
	} call[FAULT_CALLS];

	/*
	 * Operations number `from` to `to` fail, counting all operations that
	 * can fail (kernel_faults.c, any.c, calls.c).
	 */
	struct {
		unsigned int from;
		unsigned int to;
		int error;
		unsigned int calls;
		/*
		 * After this number of operations with the same name, only 1 in
		 * 1000 is counted.
		 */
		unsigned int alike;
		/* Name of the first operation that was made to fail. */
		char name[FAULT_NAME];
	} any;

	/*
	 * Called once, after the next map of memory. Simulates a faster thread.
	 */
	void (*meanwhile)(void);

	/* Called once, before the next event is opened for thread 0: the caller. */
	void (*on_open)(void);

	/*
	 * Called once, before the next event is opened for a thread's id, which
	 * may be the caller's own.
	 */
	void (*on_thread_open)(void);
	/*
	 * Simulates that the thread loses the CPU once, for 20 ms. A test sets
	 * pause_after_ns. The next query of CLOCK_MONOTONIC_RAW sets
	 * pause_at_ns to its time plus pause_after_ns. The first query at or
	 * after pause_at_ns then takes 20 ms.
	 */
	uint64_t pause_after_ns, pause_at_ns;
	bool no_inherit_thread; /* attr.inherit_thread is refused: EINVAL */
	int gone; /* id of a thread whose events are refused with ESRCH */


	/*
	 * If not 0, the n-th query of the CPU time returns n times this value.
	 * 0: the real time.
	 */
	uint64_t cpu_step_ns;
	unsigned int cpu_looks;

	/* Errno with which sched_getaffinity(2) fails; 0: none. */
	int no_affinity;
	bool no_probes; /* a uprobe counts nothing */

	bool pmu;
	unsigned int counters;  /* a larger group opens but never runs */
	unsigned int largest;   /* a larger group does not open (EINVAL) */
	bool turns;             /* only the newest group is on the PMU */
	/* Number of reads during which groups are off the PMU. */
	unsigned int waits;
	/* Only this number of members in a group really count. */
	unsigned int granted;
	bool virtual;           /* CPUID reports a hypervisor */
	bool silent;            /* breakpoints open, but count nothing */
	uint64_t refused;       /* a config that is refused with ENOENT */
	uint64_t capabilities;  /* capability bits that event pages show */
	uint64_t ask;           /* config1 bits that request user reads */
	uint64_t too_much;      /* bits of config1 refused: EOPNOTSUPP */
	/* Events that do not exclude guests are refused with EOPNOTSUPP. */
	bool no_guest;
	bool no_exclude;        /* exclude bits are refused: EINVAL */
	bool paranoid;          /* counting the kernel is refused with EACCES */
	uint64_t config1; /* config1 of the last opened hardware event */
	/* The last opened hardware event excluded the kernel or hypervisor. */
	bool excludes;
	bool excludes_guest;    /* the same event excluded guests */
	const char *path;       /* reads of this file return text */
	const char *text;
	unsigned int pages;     /* pages that are mapped now */
	unsigned int unseen;    /* failed checks of descriptors */
	/* Number of closes of descriptors that were not open. */
	unsigned int bad_closes;
	unsigned int enabled;   /* leaders that were opened enabled */
};

extern struct kernel_faults kernel_faults;

void kernel_faults_clear(void);

/* Makes only call number n of `call` fail. */
void kernel_faults_at(enum fault_call call, unsigned int n, int error);

/* Makes all calls of `call` from number n on fail. */
void kernel_faults_from(enum fault_call call, unsigned int n, int error);

/* Returns -errno if this operation must fail, else 0. */
int kernel_faults_any(const char *name);

#endif
