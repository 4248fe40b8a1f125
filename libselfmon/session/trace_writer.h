/* SPDX-License-Identifier: MIT */
/*
 * The writer of a trace (SELFMON_TRACE): a thread that copies the visits of all
 * threads' rings to a file.
 *
 * The thread is started where pthread_create(3) is safe: when the library is
 * loaded, if the environment requests a trace, or by selfmon_configure(). A
 * forked child has no writer and no trace, unless it calls selfmon_configure().
 */
#ifndef SELFMON_SESSION_TRACE_WRITER_H
#define SELFMON_SESSION_TRACE_WRITER_H

#include <stddef.h>

/* Begins the trace if the configuration requests one. */
void selfmon_trace_begin(void);
/* Writes the remaining entries, closes the file, and ends the thread. */
void selfmon_trace_end(void);
/*
 * Returns the size of each thread's ring in bytes, or 0 if this process has no
 * trace.
 */
size_t selfmon_trace_ring(void);

#endif
