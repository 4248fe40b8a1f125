/* SPDX-License-Identifier: MIT */
/* The end of the library: the process exits, or dlclose(3) unloads a plugin. */
#ifndef SELFMON_REGION_UNLOAD_H
#define SELFMON_REGION_UNLOAD_H

#include <stdbool.h>

/*
 * The report at exit. Declared here, below, and defined by report/exit.c: this
 * reference takes the report out of an archive of objects wherever a region is
 * visited.
 */
void selfmon_report_exit(void);

/* Returns true once the end has begun: no thread gets a state any more. */
bool selfmon_has_ended(void);

/*
 * Stops what would reach into code that dlclose(3) unmaps: the thread key, the
 * guard's signal handler, events that count. Closes the calling thread's
 * events and the clock's. All other memory and descriptors stay: at the exit
 * of the process other threads may be using them.
 */
void selfmon_unload(void);

#endif
