/* SPDX-License-Identifier: MIT */
/*
 * The writer of a trace (SELFMON_TRACE): a thread that copies the visits of all
 * threads' rings to a file.
 *
 * It is started where pthread_create(3) is safe: as the library is loaded, if
 * the environment asks for a trace, or by selfmon_configure(). A forked child
 * has no writer and no trace, unless it calls selfmon_configure().
 */
#ifndef SELFMON_SESSION_TRACE_WRITER_H
#define SELFMON_SESSION_TRACE_WRITER_H

#include <stddef.h>

/* Begins the trace that the configuration asks for, if any. */
void selfmon_trace_begin(void);
/* Writes what is left, closes the file, and ends the thread. */
void selfmon_trace_end(void);
/* Returns the bytes of each thread's ring; 0: this process has no trace. */
size_t selfmon_trace_ring(void);

#endif
