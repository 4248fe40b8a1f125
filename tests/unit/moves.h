/* SPDX-License-Identifier: MIT */
/*
 * Functions that begin on one thread and end on another, because move()
 * switches stacks. They are compiled for a shared object. There, compilers tend
 * to keep the address of a thread-local variable across the move.
 */
#ifndef TESTS_UNIT_MOVES_H
#define TESTS_UNIT_MOVES_H

#include <selfmon.h>

struct job;

/* Stores the thread pointer (the base of the TLS) before and after the move. */
void moves_pointer(struct job *job, void (*move)(struct job *), void *self[2]);
/* Stores whether the set belonged to the thread before and after the move. */
void moves_owner(struct job *job, void (*move)(struct job *),
		 const struct selfmon_counters *set, bool own[2]);
/* Visits "moved", with another region inside of it on each thread. */
void moves_region(struct job *job, void (*move)(struct job *));
void moves_frame(struct job *job, void (*move)(struct job *),
		 struct selfmon_region *region);

#endif
