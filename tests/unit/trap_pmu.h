/* SPDX-License-Identifier: MIT */
/*
 * A model of a PMU for the real machine code. RDPMC faults for a counter that
 * does not exist, and for every counter if user reads are off. RDTSC is found by
 * single-stepping the thread, because some hypervisors execute it in spite of
 * prctl(PR_SET_TSC). A handler returns the model's value and skips the
 * instruction.
 */
#ifndef TESTS_UNIT_TRAP_PMU_H
#define TESTS_UNIT_TRAP_PMU_H

#include <stdbool.h>
#include <stdint.h>

#include <selfmon/page.h>

#if defined(__x86_64__)
#define TRAP_PMU 1
#else
#define TRAP_PMU 0
#endif

#define TRAP_COUNTERS 8
#define TRAP_LOG 512
/*
 * The entry for RDTSC in the log. All other entries are numbers of the model's
 * counters.
 */
#define TRAP_TIME UINT32_C(0xfffffff0)

/* Page index that selects counter k of the model. */
#define TRAP_INDEX(k) (((UINT32_C(1) << 28) | (k)) + 1)

struct trap_pmu {
	volatile uint64_t raw[TRAP_COUNTERS];
	volatile uint64_t tsc; /* the model's timestamp; each trap adds 1 */
	volatile unsigned int traps;  /* entries of the log */
	volatile uint32_t log[TRAP_LOG];
	/*
	 * Called during trap n, after the value is read. May change locks or
	 * other fields.
	 */
	void (*volatile effect)(unsigned int n, uint32_t what);
};

extern struct trap_pmu trap_pmu;

/*
 * Clears the model, and handles SIGSEGV and SIGTRAP. Skips the test on other
 * machines, and under a thread sanitizer.
 */
void trap_pmu_setup(void);

/* Makes RDTSC of this thread read the model, or be executed normally. */
void trap_pmu_time(bool model);

/*
 * Returns true if the log is exactly this: 'T' for the time, a digit for a
 * counter, as in "01T".
 */
bool trap_pmu_saw(const char *order);

#endif
