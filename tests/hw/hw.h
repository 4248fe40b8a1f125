/* SPDX-License-Identifier: MIT */
/*
 * For hardware tests: what the machine is, sets that count, and a loop whose
 * number of instructions is known.
 *
 * SELFMON_HW_GUEST=1: a throw-away machine, tests may change its settings.
 * SELFMON_HW_EXACT=1: it counts to the instruction, no interrupt shows.
 * SELFMON_HW_UNGUARDED=1: read in user space where that is unsafe (riscv64).
 */
#ifndef SELFMON_TESTS_HW_H
#define SELFMON_TESTS_HW_H

#include <criterion/criterion.h>
#include <selfmon.h>
#include <sys/types.h>

#define HW_NOINLINE __attribute__((noinline))

bool hw_guest(void);
bool hw_exact(void);

/* Skip the test, with the reason. */
void hw_require_guest(void);
void hw_require_exact(void);
void hw_require_cpus(long count);
void hw_require_pmu(void); /* one that counts instructions */

/* Skips where the members of this set are read by read(2). */
void hw_require_user_reads(const struct selfmon_counters *set);

/*
 * Opens all events of a specification for this thread. Skips, explained,
 * where the machine cannot count them; fails where they should be counted.
 */
struct selfmon_counters *hw_open(const char *spec);
struct selfmon_counters *hw_open_with(const char *spec, unsigned int flags);

/* The calling thread runs on this CPU alone from here on. */
void hw_pin(int cpu);

/*
 * Writes a file of the kernel's settings in a guest; skips the test elsewhere.
 */
void hw_write_file(const char *path, const char *text);

/* The first number after key in a file, after "" the first of all. */
uint64_t hw_read_number(const char *path, const char *key);

/*
 * A process on this CPU that does nothing but use it up; it ends with the
 * caller. And its end.
 */
pid_t hw_competitor(void);
void hw_competitor_end(pid_t pid);

/* A child's end: its exit status, or 256 + signal. */
int hw_wait(pid_t pid);

/*
 * 2n instructions in n turns, n at least 1; uses n up. HW_KEPT declares an n
 * that calls leave in its register: then nothing is needed to bring it there.
 */
#if defined(__x86_64__)
#define HW_KEPT(n) register uint64_t n __asm__("rbx")
#define HW_LOOP(n)                                                             \
	__asm__ __volatile__("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc")
#elif defined(__aarch64__)
#define HW_KEPT(n) register uint64_t n __asm__("x19")
#define HW_LOOP(n)                                                             \
	__asm__ __volatile__("1: subs %0, %0, #1\n\tb.ne 1b"                   \
			     : "+r"(n)                                         \
			     :                                                 \
			     : "cc")
#elif defined(__riscv)
#define HW_KEPT(n) register uint64_t n __asm__("s1")
#define HW_LOOP(n)                                                             \
	__asm__ __volatile__("1: addi %0, %0, -1\n\tbnez %0, 1b" : "+r"(n))
#else
#error "no loop for this machine"
#endif

static inline __attribute__((always_inline)) void hw_loop(uint64_t n)
{
	HW_LOOP(n);
}

/* For regions: counts these events, and reports when asked. */
void hw_configure(const char *events);

/*
 * As if the process had lived for minutes: its report may then take its time to
 * measure the library's overhead. hw_configure() does it.
 */
void hw_grow_old(void);

/* One visit of the region "loop": the loop, and nothing else in it. */
void hw_visit_region(uint64_t n);

/*
 * More than one try of a snapshot of two members takes. A context switch in
 * the middle makes it vain; its instructions are the visit's all the same.
 */
#define HW_TRY_INSTRUCTIONS 120
/* The same at the end of a region: it is found to be vain out of line. */
#define HW_TRY_END_INSTRUCTIONS 170

/* Exactly this many in all visits, but for what was retried. */
void hw_expect_net(const struct selfmon_row *row, size_t column, double net);

/* One visit of the loop, not inlined: the same code around it for every n. */
void hw_visit_loop(struct selfmon_counters *set, uint64_t n,
		   struct selfmon_delta *delta);

/* Which member of the set has this name. */
size_t hw_member(const struct selfmon_counters *set, const char *name);

#endif
