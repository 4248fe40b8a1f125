/* SPDX-License-Identifier: MIT */
/*
 * Enter and leave in the two forms that programs have: as calls, or inlined
 * (SELFMON_STATIC). Used to calibrate their overhead.
 */
#ifndef SELFMON_VISIT_ENDS_H
#define SELFMON_VISIT_ENDS_H

#include <selfmon/inline.h>

#include "store/self.h"
#include "visit/visit.h"

static ALWAYS_INLINE void selfmon_ends_enter(bool inlined,
					     struct selfmon_site *site,
					     struct selfmon_frame *frame)
{
#ifdef SELFMON_ARCH_INLINES
	if (inlined) {
		selfmon_impl_enter_here(selfmon_thread_hot_part(), site, frame);
		return;
	}
#endif
	(void)inlined;
	selfmon_impl_enter(site, frame);
}

static ALWAYS_INLINE void selfmon_ends_leave(bool inlined,
					     struct selfmon_frame *frame)
{
	enum selfmon_impl_left left = SELFMON_IMPL_NOT_NEWEST;
	uint64_t ticks = 0;

	if (selfmon_unlikely(frame->open == NULL))
		return;
	if (inlined)
		left = selfmon_impl_try_leave(selfmon_thread_hot_part(), frame,
					      &ticks);
	if (left == SELFMON_IMPL_NOT_NEWEST)
		selfmon_impl_leave(frame);
	else if (selfmon_unlikely(left == SELFMON_IMPL_UNUSUAL))
		selfmon_impl_leave_unusual(frame, ticks);
}

#endif
