/* SPDX-License-Identifier: MIT */
/* For tests: an event that no tested PMU counts. */
#ifndef SELFMON_TESTS_NO_EVENT_H
#define SELFMON_TESTS_NO_EVENT_H

/*
 * On x86, each CPU's table of cache events has a 0 for this event (kernel
 * arch/x86/events, hw_cache_event_ids), so the kernel returns ENOENT. Elsewhere
 * it is a cache event without a counter. A raw event would not fail: the
 * drivers of AMD, arm64 and riscv64 check only some of its bits.
 */
#if defined(__x86_64__)
#define NO_EVENT "dTLB-prefetch-misses"
#else
#define NO_EVENT "node-prefetch-misses"
#endif

#endif
