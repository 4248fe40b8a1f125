/* SPDX-License-Identifier: MIT */
/*
 * Functions that begin on one thread and end on another: move() switches
 * stacks. Compilers may keep the address of a thread-local variable across the
 * move.
 */
#ifndef TESTS_PROGRAMS_MIGRATE_FUNCTIONS_H
#define TESTS_PROGRAMS_MIGRATE_FUNCTIONS_H

#include <selfmon.h>

struct job;

/* Stores the address that identifies the thread, before and after the move. */
void migrate_self(struct job *job, void (*move)(struct job *), void *seen[2]);
/* Visits "moved", with another region inside of it on each thread. */
void migrate_region(struct job *job, void (*move)(struct job *));
void migrate_span(struct job *job, void (*move)(struct job *),
		  struct selfmon_region *region);
/*
 * Visits "around". swap() does the same as move(), but does not call
 * selfmon_fiber_switch().
 */
void migrate_switch(struct job *job, void (*swap)(struct job *));

#endif
