/* SPDX-License-Identifier: MIT */
/* For tests: an event that no PMU has that these tests meet. */
#ifndef SELFMON_TESTS_NO_EVENT_H
#define SELFMON_TESTS_NO_EVENT_H

/* Drivers other than x86's look at the lower bits of a raw event alone. */
#if defined(__x86_64__)
#define NO_EVENT "r3fffffffffffffff"
#else
#define NO_EVENT "node-prefetch-misses"
#endif

#endif
