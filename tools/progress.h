/* SPDX-License-Identifier: MIT */
/*
 * Shows a line such as `reading reports: 3 of 40` for tasks that take more than
 * a second, if standard error is a terminal. There is only one task at a time.
 */
#ifndef SELFMON_TOOLS_PROGRESS_H
#define SELFMON_TOOLS_PROGRESS_H

#include <stddef.h>

/* Begins a task. The string `what` must stay valid until progress_end(). */
void progress_begin(const char *what, size_t total);
void progress_at(size_t done);
/*
 * Removes the line until its next update, so that a message can be printed.
 */
void progress_clear(void);
/* Ends the task, and removes the line. */
void progress_end(void);

#endif
