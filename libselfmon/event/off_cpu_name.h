/* SPDX-License-Identifier: MIT */
/* "@offcpu" in a list of events. */
#ifndef SELFMON_EVENT_OFF_CPU_NAME_H
#define SELFMON_EVENT_OFF_CPU_NAME_H

#include <stdbool.h>

/*
 * Takes @offcpu out of a list, with its comma: regions record it, no counter
 * counts it. Returns true if it was there, outside of braces. The list may be
 * empty afterwards.
 */
bool selfmon_off_cpu_take(char *events);

#endif
