/* SPDX-License-Identifier: MIT */
/*
 * See moves.h. This is a separate file because it is compiled with its own
 * flags (tests.mk).
 */
#include "unit/moves.h"

#include <selfmon/page.h>

#if !defined(__PIC__) || defined(__PIE__)
#error "not for a shared object"
#endif

void moves_pointer(struct job *job, void (*move)(struct job *), void *self[2])
{
	self[0] = selfmon_arch_thread_pointer();
	move(job);
	self[1] = selfmon_arch_thread_pointer();
}

void moves_owner(struct job *job, void (*move)(struct job *),
		 const struct selfmon_counters *set, bool own[2])
{
	own[0] = set->owner == selfmon_arch_thread_pointer();
	move(job);
	own[1] = set->owner == selfmon_arch_thread_pointer();
}

void moves_region(struct job *job, void (*move)(struct job *))
{
	SELFMON_REGION("moved") {
		SELFMON_REGION("first")
			__asm__ volatile("");
		move(job);
		SELFMON_REGION("second")
			__asm__ volatile("");
	}
}

void moves_frame(struct job *job, void (*move)(struct job *),
		 struct selfmon_region *region)
{
	struct selfmon_frame frame = { NULL, { 0 } };

	selfmon_enter(region, &frame);
	move(job);
	selfmon_leave(&frame);
}
