/* SPDX-License-Identifier: MIT */
/*
 * A stretch of the calling thread without signal handlers, but those of faults,
 * and without cancellation: for what must not be entered again, or left.
 */
#ifndef SELFMON_PLATFORM_ASIDE_H
#define SELFMON_PLATFORM_ASIDE_H

#include "platform/cancel.h"
#include "platform/kernel.h"

struct selfmon_aside {
	struct selfmon_signals signals;
	struct selfmon_cancel cancel;
};

static inline void selfmon_aside_begin(struct selfmon_aside *aside)
{
	selfmon_cancel_off(&aside->cancel);
	selfmon_kernel_block_signals(&aside->signals);
}

/* errno is what it was. May not return: it may have been cancelled. */
static inline void selfmon_aside_end(const struct selfmon_aside *aside)
{
	selfmon_kernel_restore_signals(&aside->signals);
	selfmon_cancel_restore(&aside->cancel);
}

#endif
