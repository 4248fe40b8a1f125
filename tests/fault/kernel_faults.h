/* SPDX-License-Identifier: MIT */
/*
 * Calls of platform/kernel.h that fail on demand (ld --wrap, tests.mk), and a
 * PMU made of them: hardware events are opened as software events, their pages
 * are memory of the test, and the PMU has as many counters as a test requests.
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
 * The name of a call, or the path of a file that is read. Longer names are cut.
 */
#define FAULT_NAME 64

struct kernel_faults {
	/*
	 * Makes calls number `from` to `to` fail. 1 is the first call; 0 means
	 * none.
	 */
	struct {
		unsigned int from;
		unsigned int to;
		int error; /* positive */
		unsigned int calls; /* seen */
	} call[FAULT_CALLS];

	/*
	 * Makes operations number `from` to `to` fail. All operations that can
	 * fail are counted (any.c, calls.c).
	 */
	struct {
		unsigned int from;
		unsigned int to;
		int error;
		unsigned int calls;
		/*
		 * After this number of operations of the same name, only 1 in
		 * 1000 counts.
		 */
		unsigned int alike;
		/* Name of the first operation made to fail. */
		char name[FAULT_NAME];
	} any;

	/*
	 * Called once, after memory was mapped the next time. Does what a
	 * faster thread would have done meanwhile.
	 */
	void (*meanwhile)(void);

	/* Called once, before the next event of a thread is opened. */
	void (*on_thread_open)(void);
	bool no_inherit_thread; /* attr.inherit_thread is refused: EINVAL */
	int gone; /* events of this thread are refused with ESRCH */


	/* Each query of the CPU time adds this; 0: the real time. */
	uint64_t cpu_step_ns;
	unsigned int cpu_looks;

	int no_affinity;        /* sched_getaffinity(2) fails with it */
	bool no_probes; /* a uprobe counts nothing */

	bool pmu;
	unsigned int counters;  /* a larger group opens, but never runs */
	unsigned int largest;   /* a larger group does not open (EINVAL) */
	bool turns;             /* only the newest group is on the PMU */
	/* Number of reads for which groups are off the PMU. */
	unsigned int waits;
	unsigned int granted; /* members of a group beyond this number stay 0 */
	bool virtual;           /* CPUID says that the machine is virtual */
	uint64_t refused;       /* this config is not known: ENOENT */
	uint64_t capabilities;  /* capability bits that event pages show */
	uint64_t ask;           /* config1 bits that request user reads */
	uint64_t too_much;      /* bits of config1 refused: EOPNOTSUPP */
	/* Opening an event that excludes guests fails with EOPNOTSUPP. */
	bool no_guest;
	bool no_exclude;        /* exclude bits are refused: EINVAL */
	bool paranoid;          /* counting the kernel is refused with EACCES */
	uint64_t config1; /* config1 of the last hardware event that opened */
	bool excludes;          /* it had an exclude bit */
	bool excludes_guest;    /* it had that of guests */
	const char *path;       /* this file ... */
	const char *text;       /* ... holds this */
	unsigned int pages;     /* mapped and not unmapped */
	unsigned int unseen;    /* failed checks of a descriptor */
	/* Number of closes of descriptors that were not open. */
	unsigned int bad_closes;
	unsigned int enabled;   /* events opened enabled without a leader */
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
