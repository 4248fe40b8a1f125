/* SPDX-License-Identifier: MIT */
/*
 * Functions that begin on one thread and end on another: move() is a switch of
 * stacks. They are compiled for a shared object, where the address of a
 * thread-local variable is what compilers like to keep.
 */
#ifndef TESTS_UNIT_MOVES_H
#define TESTS_UNIT_MOVES_H

#include <selfmon.h>

struct job;

/* Stores the thread's pointer of before, and of after. */
void moves_pointer(struct job *job, void (*move)(struct job *), void *self[2]);
/* Stores whether the set was the thread's before, and after. */
void moves_owner(struct job *job, void (*move)(struct job *),
		 const struct selfmon_counters *set, bool own[2]);
/* Visits of "moved", each with another one on each thread. */
void moves_region(struct job *job, void (*move)(struct job *));
void moves_frame(struct job *job, void (*move)(struct job *),
		 struct selfmon_region *region);

#endif
