/* SPDX-License-Identifier: MIT */
/*
 * For hardware tests: facts about the machine, sets of events, and a loop with
 * a known number of instructions.
 *
 * SELFMON_HW_GUEST=1: the machine is a temporary guest, whose settings tests
 * may change. SELFMON_HW_EXACT=1: the machine counts exactly, and interrupts
 * add no instructions. SELFMON_HW_UNGUARDED=1: tests read in user space even if
 * this is unsafe (riscv64).
 */
#ifndef SELFMON_TESTS_HW_H
#define SELFMON_TESTS_HW_H

#include <criterion/criterion.h>
#include <selfmon.h>
#include <sys/types.h>

#define HW_NOINLINE __attribute__((noinline))

bool hw_guest(void);
bool hw_exact(void);

/* Skip the test, with the reason, unless the machine is as required. */
void hw_require_guest(void);
void hw_require_exact(void);
void hw_require_cpus(long count);
void hw_require_pmu(void); /* a PMU that counts instructions */

/* Skips the test if the set's hardware events are read by read(2). */
void hw_require_user_reads(const struct selfmon_counters *set);

/*
 * Opens all events of a specification for this thread. If the machine cannot
 * count them, skips the test with the reason. Any other error fails the test.
 */
struct selfmon_counters *hw_open(const char *spec);
struct selfmon_counters *hw_open_with(const char *spec, unsigned int flags);

void hw_pin(int cpu);

/*
 * Writes a file of the kernel's settings in a guest. Skips the test on other
 * machines.
 */
void hw_write_file(const char *path, const char *text);

/*
 * Returns the first number after key in a file. If key is "", returns the first
 * number.
 */
uint64_t hw_read_number(const char *path, const char *key);

/*
 * hw_competitor() starts a process that never sleeps. It keeps the caller's CPU
 * busy if the caller is pinned to it. The process exits when the caller exits,
 * or by hw_competitor_end().
 */
pid_t hw_competitor(void);
void hw_competitor_end(pid_t pid);

/*
 * Waits for a child. Returns its exit status, or 256 + the signal that ended
 * it.
 */
int hw_wait(pid_t pid);

/*
 * Executes 2n instructions in n iterations, and changes n, which must be at
 * least 1. HW_KEPT declares n in a register that calls preserve, so that
 * loading n takes no instruction.
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

/* Makes regions count these events, with reports only on request. */
void hw_configure(const char *events);

/*
 * Makes the process appear minutes or hours old, so that its report may use
 * enough time to measure the overhead. hw_configure() calls this.
 */
void hw_grow_old(void);

/* Makes one visit of the region "loop", which contains only the loop. */
void hw_visit_region(uint64_t n);

/*
 * Upper limit for the instructions of one attempt to take a snapshot of two
 * members. After a context switch the attempt fails and is repeated. The
 * instructions of a failed attempt are counted in the visit.
 */
#define HW_TRY_INSTRUCTIONS 120
/*
 * The same for the end of a region, where a failed attempt is detected out of
 * line.
 */
#define HW_TRY_END_INSTRUCTIONS 170

/*
 * Expects this net count of the row's visits. Each retry may add up to
 * HW_TRY_END_INSTRUCTIONS.
 */
void hw_expect_net(const struct selfmon_row *row, size_t column, double net);

/*
 * Makes one visit of the loop. It is not inlined, so that the code around the
 * loop is the same for every n.
 */
void hw_visit_loop(struct selfmon_counters *set, uint64_t n,
		   struct selfmon_delta *delta);

size_t hw_member(const struct selfmon_counters *set, const char *name);

#endif
