/* SPDX-License-Identifier: MIT */
/*
 * For tests: an event that all PMUs on which these tests run refuse with
 * ENOENT.
 */
#ifndef SELFMON_TESTS_NO_EVENT_H
#define SELFMON_TESTS_NO_EVENT_H

/*
 * A place in the table of cache events that is 0 for every x86 CPU (kernel
 * arch/x86/events, hw_cache_event_ids). A raw event does not work: AMD's driver
 * only looks at some of its bits and opens it, and so do the drivers of arm64
 * and riscv64.
 */
#if defined(__x86_64__)
#define NO_EVENT "dTLB-prefetch-misses"
#else
#define NO_EVENT "node-prefetch-misses"
#endif

#endif
