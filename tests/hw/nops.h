/* SPDX-License-Identifier: MIT */
/*
 * Executes many instructions in little time: an emulator counts a nop, but
 * executes nothing for it. There, 400 nops take as long as one iteration of a
 * loop of two instructions.
 */
#ifndef SELFMON_TESTS_HW_NOPS_H
#define SELFMON_TESTS_HW_NOPS_H

#include "hw/hw.h"

#define NOPS_TURN UINT64_C(400)

/* Executes n iterations of NOPS_TURN instructions. n must be at least 1. */
static inline __attribute__((always_inline)) void nops(uint64_t n)
{
#if defined(__x86_64__)
	__asm__ __volatile__("1:\n\t"
			     ".rept 398\n\tnop\n\t.endr\n\t"
			     "dec %0\n\tjnz 1b"
			     : "+r"(n)
			     :
			     : "cc");
#elif defined(__aarch64__)
	__asm__ __volatile__("1:\n\t"
			     ".rept 398\n\tnop\n\t.endr\n\t"
			     "subs %0, %0, #1\n\tb.ne 1b"
			     : "+r"(n)
			     :
			     : "cc");
#elif defined(__riscv)
	__asm__ __volatile__("1:\n\t"
			     ".rept 398\n\tnop\n\t.endr\n\t"
			     "addi %0, %0, -1\n\tbnez %0, 1b"
			     : "+r"(n));
#endif
}

/*
 * Returns the number of iterations that take this long, at least 1. In an
 * emulator the time follows from the number of instructions; on a real CPU it
 * is measured.
 */
uint64_t nops_turns(uint64_t ns);

/*
 * Makes one visit. It is not inlined, so that the code around the loop is the
 * same for every n.
 */
void nops_visit(struct selfmon_counters *set, uint64_t n,
		struct selfmon_delta *delta);

#endif
