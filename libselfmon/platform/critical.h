/* SPDX-License-Identifier: MIT */
/*
 * Blocks signal handlers, except those of faults, and cancellation in the
 * calling thread, for code that must not be re-entered or left.
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

/* Restores errno. May not return: the thread may have been cancelled. */
static inline void selfmon_critical_end(const struct selfmon_critical *aside)
{
	selfmon_kernel_restore_signals(&aside->signals);
	selfmon_cancel_restore(&aside->cancel);
}

#endif
