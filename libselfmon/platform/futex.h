/* SPDX-License-Identifier: MIT */
/* Waits for a word to change, and wakes the waiting thread, by futex(2). */
#ifndef SELFMON_PLATFORM_FUTEX_H
#define SELFMON_PLATFORM_FUTEX_H

#include <stdint.h>

/*
 * Waits while the word is 0, for at most this time. May return early. If the
 * kernel refuses futex(2), as a seccomp filter may, sleeps for 10 ms at most.
 */
void selfmon_futex_wait(const uint32_t *word, uint64_t ns);
/* Wakes the thread that waits. Async-signal-safe; keeps errno. */
void selfmon_futex_wake(uint32_t *word);

#endif
