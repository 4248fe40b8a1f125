/* SPDX-License-Identifier: MIT */
/* Work with a known number of instructions, and what may disturb it. */
#ifndef SELFMON_TOOLS_SELFTEST_WORK_H
#define SELFMON_TOOLS_SELFTEST_WORK_H

#include <sys/types.h>

#include <selfmon.h>

#include "selftest.h"
#include "selftest_judge.h"

#define SELFTEST_NOINLINE __attribute__((noinline))

/*
 * Executes 2n instructions in n iterations, and changes n, which must be at
 * least 1. SELFTEST_KEPT declares n in a register that calls preserve, so that
 * loading n takes no instruction.
 */
#if defined(__x86_64__)
#define SELFTEST_KEPT(n) register uint64_t n __asm__("rbx")
#define SELFTEST_LOOP(n)                                                       \
	__asm__ __volatile__("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc")
#elif defined(__aarch64__)
#define SELFTEST_KEPT(n) register uint64_t n __asm__("x19")
#define SELFTEST_LOOP(n)                                                       \
	__asm__ __volatile__("1: subs %0, %0, #1\n\tb.ne 1b"                   \
			     : "+r"(n)                                         \
			     :                                                 \
			     : "cc")
#elif defined(__riscv)
#define SELFTEST_KEPT(n) register uint64_t n __asm__("s1")
#define SELFTEST_LOOP(n)                                                       \
	__asm__ __volatile__("1: addi %0, %0, -1\n\tbnez %0, 1b" : "+r"(n))
#else /* other machines: not always 2n instructions */
#define SELFTEST_KEPT(n) uint64_t n
#define SELFTEST_LOOP(n)                                                       \
	do {                                                                   \
		__asm__ __volatile__("" : "+r"(n));                            \
	} while (--n)
#endif

static inline __attribute__((always_inline)) void selftest_loop(uint64_t n)
{
	SELFTEST_LOOP(n);
}

uint64_t selftest_now_ns(void);

/* A time limit within an attempt: `share` thousandths of its budget. */
struct selftest_timer {
	uint64_t end_ns;
};
struct selftest_timer selftest_timer(const struct selftest_case *from,
				     unsigned int share);
bool selftest_is_over(const struct selftest_timer *timer);

/* Pins the calling thread to this CPU, or, if cpu is -1, to its current CPU. */
bool selftest_pin(int cpu);

/*
 * Returns the number of interrupts of this CPU, and of faults and context
 * switches of this thread, so far.
 */
uint64_t selftest_causes(void);

/*
 * Opens events for this thread. If any event cannot be counted, closes the set
 * and returns false, with the reason in the row.
 */
bool selftest_open(const char *spec, unsigned int flags,
		   struct selfmon_counters **set, struct selftest_row *row);

/* Returns four hardware events that this machine can count at once, or NULL. */
const char *selftest_four_events(void);

/*
 * Makes regions count these events. Returns false, with the reason in the row,
 * on failure.
 */
bool selftest_configure(const char *events, struct selftest_row *row);

/*
 * Like selftest_configure(), with samples: sample is a value of SELFMON_SAMPLE,
 * or NULL.
 */
bool selftest_configure_sampling(const char *events, const char *sample,
				 struct selftest_row *row);

/* Sets the row to "not applicable", with this failure as the reason. */
void selftest_explain(const struct selfmon_failure *failure,
		      struct selftest_row *row);

/*
 * Returns the instructions of a report's row. If they were not counted, marks
 * the row of the check as busy and returns NULL.
 */
const struct selfmon_quantity *
selftest_instructions(const struct selfmon_report *report,
		      const struct selfmon_row *of, struct selftest_row *row);

/* Makes one visit. The code around the loop is the same for every n. */
SELFTEST_NOINLINE void selftest_visit(struct selfmon_counters *set, uint64_t n,
				      struct selfmon_delta *delta);
SELFTEST_NOINLINE void selftest_visit_region(struct selfmon_region *region,
					     uint64_t n);

/* Returns the instructions of a visit, summed over core types. */
struct selftest_sample selftest_sample(const struct selfmon_counters *set,
				       const struct selfmon_delta *delta);

/* Returns true if the sample has a count that is not an estimate. */
bool selftest_is_counted(const struct selftest_sample *sample);

/*
 * Returns the instructions of a visit outside of its loop, or UINT64_MAX if no
 * visit had a value.
 */
uint64_t selftest_constant(struct selfmon_counters *set, int visits);

/*
 * Makes visits until there are enough, or until the time is over. Fills in all
 * members except `what`.
 */
struct selftest_counts selftest_visits(struct selfmon_counters *set,
				       const struct selftest_case *from,
				       uint64_t size, uint64_t constant,
				       size_t visits, unsigned int share);
void selftest_visits_free(struct selftest_counts *counts);

/*
 * Starts a process that keeps the calling thread's CPU busy. It exits when this
 * process exits.
 */
pid_t selftest_spinner(void);
void selftest_end(pid_t pid);

#endif
