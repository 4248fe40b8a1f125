/* SPDX-License-Identifier: MIT */
/* Explains in a sentence why events are not counted. */
#ifndef SELFMON_SESSION_EVENTS_WHY_H
#define SELFMON_SESSION_EVENTS_WHY_H

#include "store/process.h"

/*
 * Explains why only time is measured, or why events of a named list, such as
 * @branch, are left out. "" in other cases.
 */
void selfmon_events_reason(const struct selfmon_process *process, char *text,
			   size_t size);
/*
 * Explains why no hardware event can be counted, with the one setting that
 * would change this. "" if any event is counted, if only time was requested, or
 * if the cause is not the machine, such as an invalid list.
 */
void selfmon_events_off(const struct selfmon_process *process, char *text,
			size_t size);
/*
 * Explains why a column is not counted. `off` is the text of
 * selfmon_events_off(); if the column has the same reason, the result is this
 * text.
 */
void selfmon_column_reason(const struct selfmon_column *column,
			   const char *off, char *text, size_t size);

#endif
