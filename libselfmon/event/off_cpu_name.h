/* SPDX-License-Identifier: MIT */
/* Finds and removes "@offcpu" in a list of events. */
#ifndef SELFMON_EVENT_OFF_CPU_NAME_H
#define SELFMON_EVENT_OFF_CPU_NAME_H

#include <stdbool.h>

/*
 * Removes @offcpu and its comma from a list: off-CPU time is recorded for
 * regions, and no counter counts off-CPU time. Returns true if @offcpu was
 * removed. Afterwards the list may be empty. An @offcpu inside braces is not
 * removed; the parser reports that @offcpu as an error.
 */
bool selfmon_off_cpu_take(char *events);

#endif
