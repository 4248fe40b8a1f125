/* SPDX-License-Identifier: MIT */
/*
 * A thread that reads the rings of sampled threads, so that a long visit does
 * not fill its thread's ring and lose samples. The thread visits all rings each
 * 10 ms, and blocks all signals. Some rings may be read only by their owner: see
 * selfmon_thread_ring_read_other(). If one is half full, the owner is asked to.
 *
 * The thread is started where pthread_create(3) is safe: when the library is
 * loaded, if the environment requests samples, or by selfmon_configure(). The
 * first visit of a region is not a safe place, since it may be in a signal
 * handler. A forked child has no such thread unless it calls
 * selfmon_configure().
 */
#ifndef SELFMON_SESSION_DRAIN_H
#define SELFMON_SESSION_DRAIN_H

/* Starts the thread if this value of SELFMON_SAMPLE requires it. */
void selfmon_drain_begin(const char *sample);
/* Stops the thread and waits until it has exited. */
void selfmon_drain_end(void);

#endif
