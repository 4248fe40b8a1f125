/* SPDX-License-Identifier: MIT */
/*
 * Calls of platform/kernel.h that fail on demand (ld --wrap, tests.mk), and a
 * PMU made of them: hardware events are opened as software ones, their pages
 * are memory of the test, and the PMU has as many counters as a test says.
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

/* Name of a call, or path of a file that is read; longer ones are cut. */
#define FAULT_NAME 64

struct kernel_faults {
	/* Makes call number `from` to `to` fail (1: the first; 0: none). */
	struct {
		unsigned int from;
		unsigned int to;
		int error; /* positive */
		unsigned int calls; /* seen */
	} call[FAULT_CALLS];

	/*
	 * Makes operations `from` to `to` fail, counted over all that can fail
	 * (any.c, calls.c).
	 */
	struct {
		unsigned int from;
		unsigned int to;
		int error;
		unsigned int calls;
		unsigned int alike; /* beyond these of one name: 1 in 1000 */
		char name[FAULT_NAME]; /* of the first made to fail */
	} any;

	/*
	 * Called once, after the next memory is mapped: the work of another
	 * thread that was faster.
	 */
	void (*meanwhile)(void);

	/* Called once, before the next event of a thread is opened. */
	void (*on_thread_open)(void);
	bool no_inherit_thread; /* attr.inherit_thread is refused: EINVAL */
	int gone;               /* events of this thread are refused: ESRCH */


	uint64_t cpu_step_ns;   /* each look at the CPU time adds this; 0: real */
	unsigned int cpu_looks;

	int no_affinity;        /* sched_getaffinity(2) fails with it */
	bool no_probes; /* a uprobe counts nothing */

	bool pmu;
	unsigned int counters;  /* a larger group opens and never runs */
	unsigned int largest;   /* a larger group does not open: EINVAL */
	bool turns;             /* the newest group alone is on the PMU */
	unsigned int waits;     /* number of reads with the groups off it */
	unsigned int granted;   /* later members of a group stay 0 */
	bool virtual;           /* the machine says that it is virtual */
	uint64_t refused;       /* this config is not known: ENOENT */
	uint64_t capabilities;  /* of the pages */
	uint64_t ask;           /* config1 bits that ask for user reads */
	uint64_t too_much;      /* bits of config1 refused: EOPNOTSUPP */
	bool no_guest;          /* to count guests is refused: EOPNOTSUPP */
	bool no_exclude;        /* exclude bits are refused: EINVAL */
	bool paranoid;          /* to count the kernel is refused: EACCES */
	uint64_t config1;       /* of the last hardware event that opened */
	bool excludes;          /* it had an exclude bit */
	bool excludes_guest;    /* it had that of guests */
	const char *path;       /* this file ... */
	const char *text;       /* ... holds this */
	unsigned int pages;     /* mapped and not unmapped */
	unsigned int unseen;    /* failed checks of a descriptor */
	unsigned int bad_closes; /* closes of descriptors that were not open */
	unsigned int enabled;   /* events opened enabled without a leader */
};

extern struct kernel_faults kernel_faults;

void kernel_faults_clear(void);

/* Call number n of `call`, and only that, fails. */
void kernel_faults_at(enum fault_call call, unsigned int n, int error);

/* Every call of `call` from number n on fails. */
void kernel_faults_from(enum fault_call call, unsigned int n, int error);

/* Returns -errno if this operation must fail, else 0. */
int kernel_faults_any(const char *name);

#endif
