/* SPDX-License-Identifier: MIT */
/* Threads begin and end. */
#ifndef SELFMON_SESSION_THREAD_H
#define SELFMON_SESSION_THREAD_H

#include "store/state.h"

/* Returns the calling thread's state, made if need be, or NULL. */
struct selfmon_thread *selfmon_thread_attach(void);
/*
 * The same for a span: opens no events. selfmon_thread_attach() opens them at
 * the thread's first region.
 */
struct selfmon_thread *selfmon_thread_attach_async(void);
/* Counts a visit of a thread that selfmon_thread_attach() gave no state. */
void selfmon_thread_refused(void);
/* Returns the mode in which this thread runs enter and leave. */
uint32_t selfmon_thread_mode(const struct selfmon_thread *thread);

/* Deletes the key: no thread's end calls into the library any more. */
void selfmon_thread_forget(void);
/* Closes the calling thread's events; it has no state from now on. */
void selfmon_thread_close(void);

#endif
