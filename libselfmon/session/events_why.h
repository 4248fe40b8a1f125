/* SPDX-License-Identifier: MIT */
/* Explains in a sentence why events are not counted. */
#ifndef SELFMON_SESSION_EVENTS_WHY_H
#define SELFMON_SESSION_EVENTS_WHY_H

#include "store/process.h"

/* Why only time is measured, or a part of a set; "" if all is counted. */
void selfmon_events_reason(const struct selfmon_process *process, char *text,
			   size_t size);
/*
 * Why no hardware event can be counted, and the one setting that changes it. ""
 * if something is counted, or if the requested events are at fault.
 */
void selfmon_events_off(const struct selfmon_process *process, char *text,
			size_t size);
/*
 * Why a column is not counted; equal to off, from above, if that is the reason.
 */
void selfmon_column_reason(const struct selfmon_column *column,
			   const char *off, char *text, size_t size);

#endif
