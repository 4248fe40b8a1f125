/* SPDX-License-Identifier: MIT */
#ifndef SELFMON_SESSION_END_H
#define SELFMON_SESSION_END_H

/*
 * Ends the library in this process: disables all events, closes those of the
 * calling thread, marks the live file as ended, and releases the guard. Does
 * not free memory that other threads may be using.
 */
void selfmon_unload(void);

#endif
