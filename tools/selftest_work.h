/* SPDX-License-Identifier: MIT */
/* Work of a known number of instructions, and what may disturb it. */
#ifndef SELFMON_TOOLS_SELFTEST_WORK_H
#define SELFMON_TOOLS_SELFTEST_WORK_H

#include <sys/types.h>

#include <selfmon.h>

#include "selftest.h"
#include "selftest_judge.h"

#define SELFTEST_NOINLINE __attribute__((noinline))

/*
 * 2n instructions in n iterations, n at least 1; uses n up. SELFTEST_KEPT
 * declares an n that calls leave in its register, so that none is needed to
 * bring it there.
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
#else /* nothing is counted on other machines: no number is needed */
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

/* Has this attempt used up a share of its budget, in 1/1000? */
struct selftest_timer {
	uint64_t end_ns;
};
struct selftest_timer selftest_timer(const struct selftest_case *from,
				     unsigned int share);
bool selftest_is_over(const struct selftest_timer *timer);

/* The calling thread runs on this CPU alone; -1: on the one it is on now. */
bool selftest_pin(int cpu);

/* Interrupts of this CPU, faults and context switches of this thread so far. */
uint64_t selftest_causes(void);

/*
 * Opens events for this thread, or says in the row why not: false. A set in
 * which an event was dropped is closed again.
 */
bool selftest_open(const char *spec, unsigned int flags,
		   struct selfmon_counters **set, struct selftest_row *row);

/* Four hardware events that this machine counts at once; NULL: none are. */
const char *selftest_four_events(void);

/* Regions count these events from now on; says why not. */
bool selftest_configure(const char *events, struct selftest_row *row);

/* The column of instructions, or NULL with a row that says so. */
const struct selfmon_quantity *
selftest_instructions(const struct selfmon_report *report,
		      const struct selfmon_row *of, struct selftest_row *row);

/* One visit: the same code around the loop for every n. */
SELFTEST_NOINLINE void selftest_visit(struct selfmon_counters *set, uint64_t n,
				      struct selfmon_delta *delta);
SELFTEST_NOINLINE void selftest_visit_region(struct selfmon_region *region,
					     uint64_t n);

/*
 * The count of instructions of a visit. Where cores are of several types each
 * has an event of its own: all of them together.
 */
struct selftest_sample selftest_sample(const struct selfmon_counters *set,
				       const struct selfmon_delta *delta);

/* It has a count, which is no estimate. */
bool selftest_is_counted(const struct selftest_sample *sample);

/* A visit's instructions beside its loop; UINT64_MAX: no visit had a value. */
uint64_t selftest_constant(struct selfmon_counters *set, int visits);

/* Visits until there are enough, or time is over; fills in all but what. */
struct selftest_counts selftest_visits(struct selfmon_counters *set,
				       const struct selftest_case *from,
				       uint64_t size, uint64_t constant,
				       size_t visits, unsigned int share);
void selftest_visits_free(struct selftest_counts *counts);

/* A process on the calling thread's CPU that uses it up; ends with us. */
pid_t selftest_spinner(void);
void selftest_end(pid_t pid);

#endif
