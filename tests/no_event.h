/* SPDX-License-Identifier: MIT */
/* For tests: an event that every PMU these tests run on refuses with ENOENT. */
#ifndef SELFMON_TESTS_NO_EVENT_H
#define SELFMON_TESTS_NO_EVENT_H

/*
 * A place in the table of cache events that is 0 for every x86 CPU (kernel
 * arch/x86/events, hw_cache_event_ids). A raw event would not do: AMD's driver
 * looks at some bits alone and opens it, as those of arm64 and riscv64 do.
 */
#if defined(__x86_64__)
#define NO_EVENT "dTLB-prefetch-misses"
#else
#define NO_EVENT "node-prefetch-misses"
#endif

#endif
