/* SPDX-License-Identifier: MIT */
/* The thread-local pointer to a thread's state: the only one there is. */
#ifndef SELFMON_REGION_THREAD_H
#define SELFMON_REGION_THREAD_H

#include "region/state.h"

/*
 * In the shared library one load from a fixed offset of the thread pointer;
 * eight bytes of the static TLS surplus, which suffice even where a program
 * has used up nearly all of it. The static library follows its host.
 */
#ifndef SELFMON_TLS_MODEL
#ifdef SELFMON_SHARED
#define SELFMON_TLS_MODEL __attribute__((tls_model("initial-exec")))
#else
#define SELFMON_TLS_MODEL
#endif
#endif

/*
 * Never NULL: before the first visit, and once the thread's destructor has
 * run, it leads to a state that is not ready and belongs to no thread.
 */
extern __thread struct selfmon_thread *selfmon_thread_pointer SELFMON_TLS_MODEL;

static inline struct selfmon_thread *selfmon_thread_self(void)
{
	return selfmon_thread_pointer;
}

#endif
