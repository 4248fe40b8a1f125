/* SPDX-License-Identifier: MIT */
/*
 * Calls the program's function (selfmon_options.longer) for visits and detached
 * spans that exceeded their time limit.
 */
#ifndef SELFMON_VISIT_LONGER_H
#define SELFMON_VISIT_LONGER_H

#include "store/recorder.h"

void selfmon_longer_report(struct selfmon_thread *thread,
			   const struct selfmon_due *due);

/*
 * Reports the visit that the recorder stored in *due, if any. Call it after the
 * visit's entry is given back: the program's function may visit regions.
 */
static inline void selfmon_longer_call(struct selfmon_thread *thread,
				       const struct selfmon_due *due)
{
	if (selfmon_unlikely(due->node != NULL))
		selfmon_longer_report(thread, due);
}

#endif
