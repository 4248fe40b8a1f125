/* SPDX-License-Identifier: MIT */
/* Hides the origin of values from the compiler. */
#ifndef SELFMON_PLATFORM_HIDE_VAR_H
#define SELFMON_PLATFORM_HIDE_VAR_H

/*
 * Keeps a value in a register. Compilers compute cheap values, such as an
 * address on the stack, again at each use, which takes one instruction each
 * time.
 */
#define SELFMON_HIDE_VAR(value) __asm__("" : "+r"(value))

/*
 * After this the compiler knows nothing about the value. Since it is volatile,
 * two equal statements are not merged, and each iteration of a loop executes
 * its own.
 */
#define SELFMON_HIDE_VAR_VOLATILE(value) __asm__ __volatile__("" : "+r"(value))

#endif
