/* SPDX-License-Identifier: MIT */
/* Explains in a sentence why events are not counted. */
#ifndef SELFMON_SESSION_EVENTS_WHY_H
#define SELFMON_SESSION_EVENTS_WHY_H

#include "store/process.h"

/*
 * Explains why only time is measured, or why a part of a set is left out; "" if
 * everything is counted.
 */
void selfmon_events_reason(const struct selfmon_process *process, char *text,
			   size_t size);
/*
 * Explains why no hardware event can be counted, and names the one setting that
 * would change this. "" if something is counted, or if the requested events are
 * wrong.
 */
void selfmon_events_off(const struct selfmon_process *process, char *text,
			size_t size);
/*
 * Explains why a column is not counted. If the reason is the text `off` of
 * selfmon_events_off(), the result equals it.
 */
void selfmon_column_reason(const struct selfmon_column *column,
			   const char *off, char *text, size_t size);

#endif
