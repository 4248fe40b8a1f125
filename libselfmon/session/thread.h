/* SPDX-License-Identifier: MIT */
/* Threads begin and end. */
#ifndef SELFMON_SESSION_THREAD_H
#define SELFMON_SESSION_THREAD_H

#include "store/state.h"

/* Returns the calling thread's state, or NULL. Makes it if needed. */
struct selfmon_thread *selfmon_thread_attach(void);
/*
 * Like selfmon_thread_attach(), for a span: opens no events.
 * selfmon_thread_attach() opens them at the thread's first region.
 */
struct selfmon_thread *selfmon_thread_attach_async(void);
/* Counts a visit of a thread to which selfmon_thread_attach() gave no state. */
void selfmon_thread_refused(void);
/* Returns the mode for enter and leave in this thread. */
uint32_t selfmon_thread_mode(const struct selfmon_thread *thread);

/*
 * Deletes the thread-specific key: the end of a thread no longer calls into the
 * library.
 */
void selfmon_thread_forget(void);
/* Closes the calling thread's events. From now on the thread has no state. */
void selfmon_thread_close(void);

#endif
