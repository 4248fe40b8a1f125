/* SPDX-License-Identifier: MIT */
/* See functions.h. Compiled in many ways: tests/tools/migrate.sh. */
#include "functions.h"

#ifndef SELFMON_SINGLE
#include <selfmon/page.h>
#endif

#ifdef NAIVE
/*
 * Compilers may keep this address across move(), since they assume that a
 * function stays on its thread.
 */
static __thread int self;
#define SELF() ((void *)&self)
#else
#define SELF() selfmon_arch_thread_pointer()
#endif

void migrate_self(struct job *job, void (*move)(struct job *), void *seen[2])
{
	seen[0] = SELF();
	move(job);
	seen[1] = SELF();
}

void migrate_region(struct job *job, void (*move)(struct job *))
{
	SELFMON_REGION("moved") {
		SELFMON_REGION("first")
			__asm__ volatile("");
		move(job);
		SELFMON_REGION("second")
			__asm__ volatile("");
	}
}

void migrate_span(struct job *job, void (*move)(struct job *),
		  struct selfmon_region *region)
{
	struct selfmon_frame frame = { 0 };

	selfmon_enter(region, &frame);
	move(job);
	selfmon_leave(&frame);
}

/* Calls selfmon_fiber_switch() itself; above, move() does. */
void migrate_switch(struct job *job, void (*swap)(struct job *))
{
	SELFMON_REGION("around") {
		SELFMON_REGION("before")
			selfmon_fiber_switch(NULL);
		swap(job);
		SELFMON_REGION("after")
			__asm__ volatile("");
	}
}
