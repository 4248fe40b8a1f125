/* SPDX-License-Identifier: MIT */
/*
 * Blocks cancellation and signal handlers (except those of faults) in the
 * calling thread: for code that must not be interrupted by a handler that calls
 * it again, or that jumps out of it.
 */
#ifndef SELFMON_PLATFORM_CRITICAL_H
#define SELFMON_PLATFORM_CRITICAL_H

#include "platform/cancel.h"
#include "platform/kernel.h"

struct selfmon_critical {
	struct selfmon_signals signals;
	struct selfmon_cancel cancel;
};

static inline void selfmon_critical_begin(struct selfmon_critical *aside)
{
	selfmon_cancel_off(&aside->cancel);
	selfmon_kernel_block_signals(&aside->signals);
}

/*
 * Ends the critical section and restores errno. If the thread was cancelled
 * meanwhile, this may not return.
 */
static inline void selfmon_critical_end(const struct selfmon_critical *aside)
{
	selfmon_kernel_restore_signals(&aside->signals);
	selfmon_cancel_restore(&aside->cancel);
}

#endif
