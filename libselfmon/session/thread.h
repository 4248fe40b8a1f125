/* SPDX-License-Identifier: MIT */
#ifndef SELFMON_SESSION_THREAD_H
#define SELFMON_SESSION_THREAD_H

#include "store/state.h"

/*
 * Returns the calling thread's state, and makes it if needed. Returns NULL if
 * the thread cannot have one. In a handler of a fault that interrupted an
 * attach or a holder of the process lock, returns a shared state that is always
 * busy and has no entries.
 */
struct selfmon_thread *selfmon_thread_attach(void);
/*
 * Like selfmon_thread_attach(), but for a detached span: opens no events. The
 * first region in this thread opens them, by selfmon_thread_attach(). If `off`
 * is true, makes the state even if regions are off, for the end of a span that
 * began while they were on.
 */
struct selfmon_thread *selfmon_thread_attach_async(bool off);
/* Returns the mode for enter and leave in this thread. */
uint32_t selfmon_thread_mode(const struct selfmon_thread *thread);

/*
 * Deletes the thread-specific key, so that threads that exit later do not call
 * the library.
 */
void selfmon_thread_forget(void);
/* Closes the calling thread's events. Afterwards the thread has no state. */
void selfmon_thread_close(void);

#endif
