/* SPDX-License-Identifier: MIT */
/* Hides the origin of values from the compiler. */
#ifndef SELFMON_PLATFORM_HIDE_VAR_H
#define SELFMON_PLATFORM_HIDE_VAR_H

/*
 * Keeps a value in a register. Compilers recompute cheap values, like an
 * address on the stack, at each use: one instruction each, while a kept value
 * costs none.
 */
#define SELFMON_HIDE_VAR(value) __asm__("" : "+r"(value))

/*
 * The compiler knows nothing about the value after this. Volatile: two equal
 * statements are not merged, and each loop iteration has its own.
 */
#define SELFMON_HIDE_VAR_VOLATILE(value) __asm__ __volatile__("" : "+r"(value))

#endif
