/* SPDX-License-Identifier: MIT */
/*
 * A thread that empties the rings of sampled threads, so that a visit of
 * seconds loses no samples. It sleeps for 10 ms at a time, blocks all signals,
 * and reads nothing but rings.
 *
 * It is started where pthread_create(3) is safe: as the library is loaded, if
 * the environment asks for samples, or by selfmon_configure(). A region may
 * begin in a signal handler. A forked child does not have it, unless it calls
 * selfmon_configure().
 */
#ifndef SELFMON_SESSION_DRAIN_H
#define SELFMON_SESSION_DRAIN_H

/* Starts the thread if this text of SELFMON_SAMPLE wants one. */
void selfmon_drain_begin(const char *sample);
/* Ends the thread, and waits for its end. */
void selfmon_drain_end(void);

#endif
