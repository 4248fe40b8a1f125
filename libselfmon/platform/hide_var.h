/* SPDX-License-Identifier: MIT */
/* Hides the origin of values from the compiler. */
#ifndef SELFMON_PLATFORM_HIDE_VAR_H
#define SELFMON_PLATFORM_HIDE_VAR_H

/*
 * Keeps a value in a register. Otherwise compilers compute a cheap value, such
 * as an address on the stack, again at each use, which takes one instruction
 * each time.
 */
#define SELFMON_HIDE_VAR(value) __asm__("" : "+r"(value))

/*
 * Makes the compiler assume that the value was changed. The statement is
 * volatile: two equal ones are not merged, and a loop executes it in each
 * iteration.
 */
#define SELFMON_HIDE_VAR_VOLATILE(value) __asm__ __volatile__("" : "+r"(value))

#endif
