/* SPDX-License-Identifier: MIT */
/* Keeps a value in its register. */
#ifndef SELFMON_PLATFORM_KEEP_H
#define SELFMON_PLATFORM_KEEP_H

/*
 * What is cheap to compute, as an address on the stack, compilers compute
 * again at each use: an instruction each, where one held would be none.
 */
#define selfmon_keep(value) __asm__("" : "+r"(value))

#endif
