/* SPDX-License-Identifier: MIT */
/* Values whose origin the compiler is not to know. */
#ifndef SELFMON_PLATFORM_KEEP_H
#define SELFMON_PLATFORM_KEEP_H

/*
 * What is cheap to compute, as an address on the stack, compilers compute
 * again at each use: an instruction each, where one held would be none.
 */
#define selfmon_keep(value) __asm__("" : "+r"(value))

/*
 * After this the compiler knows nothing about the value. Volatile: two equal
 * statements are not merged, and each iteration of a loop has its own.
 */
#define selfmon_hide(value) __asm__ __volatile__("" : "+r"(value))

#endif
